#include "tests/core/backproject/back_projection.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/backproject/cpu_kernels.h"
#include "core/geometry/views/projection_matrix.h"
#include "tests/support/random_values.h"

namespace gantry::test {

ScanGeometry scanOf(Index columns, Index rows, Index views) {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 500;
    scan.cone().sourceToDetectorMm = 1000;
    scan.cone().startDeg = 17;  // no view along an axis of the grid
    scan.cone().views = views;
    scan.detector.columns = columns;
    scan.detector.rows = rows;
    scan.detector.pitchMm = {400.0 / static_cast<double>(columns),
                             400.0 / static_cast<double>(columns)};
    return scan;
}

ScanGeometry turnedScanOf(Index columns, Index rows, Index views) {
    ScanGeometry scan = scanOf(columns, rows, views);
    scan.detector.rollDeg = 11;
    scan.detector.tiltDeg = -4;
    scan.detector.slantDeg = 3;
    scan.cone().sourceOffsetMm = {2, -3};
    return scan;
}

VolumeGrid gridOf(const ScanGeometry& scan, std::array<Index, 3> voxels, double rowsPerVoxel) {
    VolumeGrid grid;
    grid.voxels = voxels;
    grid.pitchMm = {180.0 / static_cast<double>(voxels[0]), 170.0 / static_cast<double>(voxels[1]),
                    rowsPerVoxel * scan.detector.pitchMm[1] / scan.magnification()};
    return grid;
}

std::vector<float> randomViews(const ScanGeometry& scan, Noise noise, std::uint32_t seed) {
    std::mt19937 random(seed);
    test::NormalValues<float> normal;
    std::vector<float> views(
        static_cast<std::size_t>(scan.views() * scan.detector.rows * scan.detector.columns));
    for (float& value : views)
        value = noise == Noise::uniform ? test::uniformValue<float>(random) : normal(random);
    return views;
}

std::vector<float> linearViews(const ScanGeometry& scan) {
    std::vector<float> views;
    for (Index s = 0; s < scan.views(); ++s)
        for (Index v = 0; v < scan.detector.rows; ++v)
            for (Index u = 0; u < scan.detector.columns; ++u)
                views.push_back(
                    static_cast<float>(linearView(static_cast<double>(u), static_cast<double>(v))));
    return views;
}

void forEachBatch(const ScanGeometry& scan, const std::vector<float>& views, IndexRange rows,
                  Index batchViews, const std::function<void(const FilteredBatch&)>& take) {
    const Index nU = scan.detector.columns;
    const auto matrices = projectionMatrices(scan);
    for (Index first = 0; first < scan.views(); first += batchViews) {
        const Index count = std::min(batchViews, scan.views() - first);
        std::vector<float> part;
        for (Index s = first; s < first + count; ++s) {
            const auto view = views.begin() + s * scan.detector.rows * nU;
            part.insert(part.end(), view + rows.begin * nU, view + rows.end * nU);
        }
        const auto some = std::span(matrices).subspan(static_cast<std::size_t>(first),
                                                      static_cast<std::size_t>(count));
        take({{part.data(), count, rows.size(), nU}, rows.begin, some});
    }
}

void addViews(BackProjector& projector, const ScanGeometry& scan, const std::vector<float>& views,
              IndexRange rows, Index batchViews) {
    forEachBatch(scan, views, rows, batchViews,
                 [&](const FilteredBatch& batch) { projector.add(batch, {}); });
}

std::vector<float> readAll(BackProjector& projector, const VolumeGrid& grid, IndexRange slices) {
    const Index count = slices.size() * grid.voxels[1] * grid.voxels[0];
    std::vector<float> slab(static_cast<std::size_t>(count));
    projector.read(slices, {slab.data(), slices.size(), grid.voxels[1], grid.voxels[0]});
    return slab;
}

std::vector<float> backProject(BackProjector& projector, const ScanGeometry& scan,
                               const VolumeGrid& grid, IndexRange slices,
                               const std::vector<float>& views, Index batchViews) {
    projector.begin(grid, slices);
    addViews(projector, scan, views, {0, scan.detector.rows}, batchViews);
    return readAll(projector, grid, slices);
}

double relativeRmse(const std::vector<float>& a, const std::vector<float>& b) {
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
        norm += std::pow(static_cast<double>(b[i]), 2);
    }
    return std::sqrt(difference / norm);
}

void expectAgreement(BackProjector& projector, const ScanGeometry& scan, const VolumeGrid& grid,
                     IndexRange slices) {
    constexpr double kUniformRmse = 1e-6;
    constexpr double kZeroMeanRmse = 5e-6;
    const auto reference = makeReferenceBackProjector(2);
    for (const Noise noise : {Noise::uniform, Noise::zeroMean}) {
        const auto views = randomViews(scan, noise);
        const auto expected = backProject(*reference, scan, grid, slices, views);
        const auto actual = backProject(projector, scan, grid, slices, views, 5);
        EXPECT_LE(relativeRmse(actual, expected),
                  noise == Noise::uniform ? kUniformRmse : kZeroMeanRmse);
    }
}

}  // namespace gantry::test
