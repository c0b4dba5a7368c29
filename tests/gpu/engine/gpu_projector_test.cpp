#include "gpu/engine/gpu_projector.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/iterate/subsets.h"
#include "core/project/cpu_projector.h"
#include "core/project/projection_space.h"
#include "tests/core/project/projection_problems.h"
#include "tests/gpu/support/device.h"

namespace gantry {
namespace {

// Tiled: through shared memory where detectors are upright. Otherwise ray by ray, in double.
class GpuProjector : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override { GANTRY_NEEDS_DEVICE(); }

    static std::unique_ptr<Projector> make(const ScanGeometry& scan) {
        return makeGpuProjector(test::testDevice(), projectedViews(scan), GetParam());
    }
};

double dotOf(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

TEST_P(GpuProjector, SumsAreJosephs) {
    for (const Index scale : {1, 4})
        for (const test::ProjectionProblem& problem : test::projectionProblems(scale)) {
            SCOPED_TRACE(problem.name);
            const auto projector = make(problem.scan);
            const std::vector<float> x = test::randomValues(problem.grid.count(), 1);
            const std::vector<float> ax = test::projected(*projector, problem, x);
            // Coordinates in boxes and sums of some hundred voxels are rounded to float.
            EXPECT_LT(test::largestDifference(ax, test::josephSums(problem, x)), 5e-6);
        }
}

TEST_P(GpuProjector, ProductsAgree) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(4)) {
        SCOPED_TRACE(problem.name);
        const auto projector = make(problem.scan);
        const std::vector<float> x = test::randomValues(problem.grid.count(), 1);
        const std::vector<float> ax = test::projected(*projector, problem, x);
        const std::vector<float> y = test::randomValues(std::ssize(ax), 2);
        const std::vector<float> aty = test::transposed(*projector, problem, y);
        EXPECT_NEAR(dotOf(ax, y) / dotOf(x, aty), 1, 1e-6);
    }
}

// Products hide single wrong entries: see the same test of the CPU's projector.
TEST_P(GpuProjector, SingleEntriesAgree) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(1)) {
        SCOPED_TRACE(problem.name);
        const auto projector = make(problem.scan);
        std::vector<float> volume(static_cast<std::size_t>(problem.grid.count()));
        const auto views = test::projected(*projector, problem, volume).size();
        std::vector<float> rays(views);
        double difference = 0;
        double largest = 0;
        for (std::size_t j = 0; j < volume.size(); j += 7) {
            volume[j] = 1;
            const std::vector<float> column = test::projected(*projector, problem, volume);
            volume[j] = 0;
            for (std::size_t i = 0; i < views; ++i) {
                largest = std::max<double>(largest, column[i]);
                if (i % 5 != 0 || column[i] == 0) continue;
                rays[i] = 1;
                const std::vector<float> row = test::transposed(*projector, problem, rays);
                rays[i] = 0;
                difference = std::max<double>(difference, std::abs(row[j] - column[i]));
            }
        }
        EXPECT_LT(difference, 2e-5 * largest);
    }
}

TEST_P(GpuProjector, TransposedIsTheCpus) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(4)) {
        SCOPED_TRACE(problem.name);
        const auto cpu =
            makeCpuProjector(projectedViews(problem.scan), 2, supportedSimdLevels()[0]);
        const Detector& detector = problem.scan.detector;
        const std::vector<float> y =
            test::randomValues(problem.scan.views() * detector.rows * detector.columns, 3);
        const std::vector<float> expected = test::transposed(*cpu, problem, y);
        EXPECT_LT(
            test::largestDifference(test::transposed(*make(problem.scan), problem, y), expected),
            1e-5);
    }
}

// Tiles are of several heights, and the last slices of a slab have lower ones.
TEST_P(GpuProjector, SlabsOfAnyHeightAreTheCpus) {
    for (const Index slices : {Index{300}, Index{250}, Index{120}, Index{290}})
        for (const double rowsPerVoxel : {0.2, 1.3}) {
            SCOPED_TRACE(std::to_string(slices) + " slices");
            test::ProjectionProblem problem = test::projectionProblems(2)[0];
            Detector& detector = problem.scan.detector;
            const double high =
                static_cast<double>(slices) / static_cast<double>(problem.grid.voxels[2]);
            problem.grid.pitchMm[2] *= rowsPerVoxel;
            problem.grid.voxels[2] = slices;
            detector.rows =
                static_cast<Index>(static_cast<double>(detector.rows) * high * rowsPerVoxel);
            const auto cpu = makeCpuProjector(projectedViews(problem.scan), 2);
            const std::vector<float> y =
                test::randomValues(problem.scan.views() * detector.rows * detector.columns, 3);
            const std::vector<float> expected = test::transposed(*cpu, problem, y);
            // A row's place is rounded to 2e-6, and rows are up to five voxels apart.
            EXPECT_LT(test::largestDifference(test::transposed(*make(problem.scan), problem, y),
                                              expected),
                      2e-5);
        }
}

// Ordered subsets have views at all sides of a volume in one call.
TEST_P(GpuProjector, RangesOfViewsFarApartAreTheCpus) {
    constexpr Index kSubsets = 2;
    test::ProjectionProblem problem = test::projectionProblems(4)[0];
    problem.scan.cone().views = 72;
    const Subsets subsets(problem.scan.views(), kSubsets);
    const ProjectedViews stored = inStoredOrder(projectedViews(problem.scan), subsets);
    const auto& [nX, nY, nZ] = problem.grid.voxels;
    const std::vector<float> x = test::randomValues(problem.grid.count(), 1);
    const auto cpu = makeCpuProjector(stored, 2);
    const auto gpu = makeGpuProjector(test::testDevice(), stored, GetParam());
    for (Projector* projector : {cpu.get(), gpu.get()}) {
        projector->begin(problem.grid, {0, nZ});
        projector->set({0, nZ}, Span3<const float>(x.data(), nZ, nY, nX));
    }
    for (Index subset = 0; subset < kSubsets; ++subset) {
        const IndexRange views = subsets.range(subset);
        std::vector<std::vector<float>> sums;
        for (Projector* projector : {cpu.get(), gpu.get()}) {
            sums.emplace_back(
                static_cast<std::size_t>(views.size() * stored.rows * stored.columns));
            projector->project(views,
                               {sums.back().data(), views.size(), stored.rows, stored.columns}, {});
        }
        EXPECT_LT(test::largestDifference(sums[1], sums[0]), 1e-5) << "subset " << subset;
    }
}

TEST_P(GpuProjector, GivesTheSameBitsEveryTime) {
    const test::ProjectionProblem problem = test::projectionProblems(4)[0];
    const std::vector<float> x = test::randomValues(problem.grid.count(), 1);
    const auto projector = make(problem.scan);
    const std::vector<float> ax = test::projected(*projector, problem, x);
    EXPECT_EQ(test::projected(*make(problem.scan), problem, x), ax);
    EXPECT_EQ(test::transposed(*make(problem.scan), problem, ax),
              test::transposed(*projector, problem, ax));
}

INSTANTIATE_TEST_SUITE_P(Kernels, GpuProjector, testing::Bool(),
                         [](const auto& kernel) { return kernel.param ? "tiled" : "any"; });

}  // namespace
}  // namespace gantry
