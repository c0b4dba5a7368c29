#include <gtest/gtest.h>

#include "core/project/cpu_projector.h"
#include "tests/core/project/projection_problems.h"

namespace gantry {
namespace {

class Adjoint : public testing::TestWithParam<SimdLevel> {};

double dotOf(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

TEST_P(Adjoint, ProductsAgree) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(4)) {
        SCOPED_TRACE(problem.name);
        const auto projector = makeCpuProjector(projectedViews(problem.scan), 2, GetParam());
        const std::vector<float> x = test::randomValues(problem.grid.count(), 1);
        const std::vector<float> ax = test::projected(*projector, problem, x);
        const std::vector<float> y = test::randomValues(std::ssize(ax), 2);
        const std::vector<float> aty = test::transposed(*projector, problem, y);
        EXPECT_NEAR(dotOf(ax, y) / dotOf(x, aty), 1, 1e-6);
    }
}

// Products hide single wrong entries, so the matrix is compared with its transpose entry by entry,
// for every other pixel and all voxels.
// Weights in float differ by some 1e-6, as coordinates of up to 16 voxels do.
TEST_P(Adjoint, SingleEntriesAgree) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(1)) {
        SCOPED_TRACE(problem.name);
        const auto projector = makeCpuProjector(projectedViews(problem.scan), 1, GetParam());
        std::vector<float> volume(static_cast<std::size_t>(problem.grid.count()));
        std::vector<std::vector<float>> columns;
        for (float& voxel : volume) {
            voxel = 1;
            columns.push_back(test::projected(*projector, problem, volume));
            voxel = 0;
        }
        std::vector<float> views(columns.front().size());
        double difference = 0;
        double largest = 0;
        for (std::size_t i = 0; i < views.size(); i += 2) {
            views[i] = 1;
            const std::vector<float> row = test::transposed(*projector, problem, views);
            views[i] = 0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                difference = std::max<double>(difference, std::abs(row[j] - columns[j][i]));
                largest = std::max<double>(largest, row[j]);
            }
        }
        EXPECT_LT(difference, 2e-5 * largest);
    }
}

// A column of 500 voxels and rows: its coordinates are larger than what single precision resolves
// to 2e-5 of a voxel.
TEST_P(Adjoint, LongColumnsAgree) {
    for (const double voxelPx : {0.4, 0.97, 1.3, 2.2}) {
        SCOPED_TRACE(voxelPx);
        ScanGeometry scan;
        scan.cone().sourceToIsocenterMm = 400;
        scan.cone().sourceToDetectorMm = 700;
        scan.cone().startDeg = 31;
        scan.cone().views = 2;
        scan.detector.columns = 5;
        scan.detector.rows = 501;
        scan.detector.pitchMm = {0.5, 0.5};
        VolumeGrid grid;
        grid.voxels = {3, 5, 487};
        grid.pitchMm = {0.3, 0.3, voxelPx * 0.5 / scan.magnification()};
        const test::ProjectionProblem problem{"", scan, grid};
        const auto projector = makeCpuProjector(projectedViews(scan), 1, GetParam());
        for (const Index z : {141, 200, 243, 345}) {
            std::vector<float> volume(static_cast<std::size_t>(grid.count()));
            const std::size_t j = (z * 5 + 2) * 3 + 1;
            volume[j] = 1;
            const std::vector<float> column = test::projected(*projector, problem, volume);
            EXPECT_LT(test::largestDifference(column, test::josephSums(problem, volume)), 2e-5);
            std::vector<float> views(column.size());
            const float largest = *std::max_element(column.begin(), column.end());
            for (std::size_t i = 0; i < views.size(); ++i) {
                if (column[i] == 0) continue;
                views[i] = 1;
                EXPECT_NEAR(test::transposed(*projector, problem, views)[j], column[i],
                            2e-5 * largest);
                views[i] = 0;
            }
        }
    }
}

TEST_P(Adjoint, AddsToTheSlabAndLeavesItReadyToProject) {
    const test::ProjectionProblem problem = test::projectionProblems(2)[1];
    const auto projector = makeCpuProjector(projectedViews(problem.scan), 2, GetParam());
    const auto fresh = makeCpuProjector(projectedViews(problem.scan), 2, GetParam());
    const auto& [nX, nY, nZ] = problem.grid.voxels;
    const Detector& detector = problem.scan.detector;
    const Index nS = problem.scan.views();
    const std::vector<float> y = test::randomValues(nS * detector.rows * detector.columns, 5);
    const std::vector<float> once = test::transposed(*projector, problem, y);
    const Span3<const float> views(y.data(), nS, detector.rows, detector.columns);
    projector->adjoint({0, nS}, views, {});
    std::vector<float> twice(once.size());
    projector->read({0, nZ}, {twice.data(), nZ, nY, nX});
    for (std::size_t i = 0; i < once.size(); ++i)
        EXPECT_FLOAT_EQ(twice[i], 2 * once[i]);
    // What kernels write beyond the last slice is not seen by rays.
    std::vector<float> out(y.size());
    projector->project({0, nS}, {out.data(), nS, detector.rows, detector.columns}, {});
    EXPECT_EQ(out, test::projected(*fresh, problem, twice));
}

std::string levelOf(const testing::TestParamInfo<SimdLevel>& level) {
    const std::string names[] = {"portable", "avx2", "avx512"};
    return names[static_cast<int>(level.param)];
}

INSTANTIATE_TEST_SUITE_P(Levels, Adjoint, testing::ValuesIn(supportedSimdLevels()), levelOf);

}  // namespace
}  // namespace gantry
