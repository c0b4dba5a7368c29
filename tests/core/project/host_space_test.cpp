#include "core/project/host_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/project/cpu_projector.h"
#include "tests/core/project/projection_problems.h"

namespace gantry {
namespace {

const test::ProjectionProblem& spaceProblem() {
    static const test::ProjectionProblem problem = [] {
        test::ProjectionProblem one = test::projectionProblems(1)[1];
        one.scan.cone().views = 7;
        return one;
    }();
    return problem;
}

HostSpace spaceOf(Index subsets, Index slabSlices, bool hasCounts) {
    const ScanGeometry& scan = spaceProblem().scan;
    return {projectedViews(scan),
            spaceProblem().grid,
            Subsets(scan.views(), subsets),
            {.threads = 2, .slabSlices = slabSlices, .hasCounts = hasCounts},
            [](ProjectedViews views, int threads) {
                return makeCpuProjector(std::move(views), threads);
            }};
}

std::vector<float> valuesIn(HostSpace& space, const IterationVector& vector) {
    std::vector<float> values(static_cast<std::size_t>(vector.parts() * vector.partCount()));
    space.read(vector, 0, values);
    return values;
}

Index rayCount() {
    const Detector& detector = spaceProblem().scan.detector;
    return spaceProblem().scan.views() * detector.rows * detector.columns;
}

// Views as a space stores them, in the scan's order.
std::vector<float> inOrder(const std::vector<float>& stored, const Subsets& subsets) {
    std::vector<float> out(stored.size());
    const Index rays = std::ssize(stored) / subsets.views();
    for (Index view = 0; view < subsets.views(); ++view)
        std::copy_n(stored.begin() + subsets.placeOf(view) * rays, rays, out.begin() + view * rays);
    return out;
}

TEST(HostSpaceOperator, IsTheProjectorsWithViewsStoredBySubsets) {
    const test::ProjectionProblem& problem = spaceProblem();
    const auto projector = makeCpuProjector(projectedViews(problem.scan), 1);
    const std::vector<float> x = test::randomValues(problem.grid.count(), 1);
    const std::vector<float> expected = test::projected(*projector, problem, x);
    // Rays that only touch the volume are not used.
    const std::vector<float> chords =
        test::projected(*projector, problem, std::vector<float>(x.size(), 1));
    const float longest = *std::max_element(chords.begin(), chords.end());
    std::vector<float> used = expected;
    for (std::size_t i = 0; i < used.size(); ++i)
        used[i] = chords[i] < 0.01F * longest ? 0 : used[i];
    for (const Index slabSlices : {0, 3}) {
        HostSpace space = spaceOf(3, slabSlices, false);
        space.prepare({.weights = RowWeights::one, .subsets = 3}, {});
        const auto volume = space.make(VectorKind::volume, 0);
        space.write(*volume, 0, x);
        const auto views = space.make(VectorKind::views, problem.scan.views());
        space.project(*volume, *views, {});
        const Subsets subsets(problem.scan.views(), 3);
        const std::vector<float> stored = valuesIn(space, *views);
        // Sums over slabs differ in the last digits.
        EXPECT_LT(test::largestDifference(inOrder(stored, subsets), expected), 1e-6);
        const auto transposed = space.make(VectorKind::volume, 0);
        space.adjoint(*views, *transposed, {});
        EXPECT_LT(test::largestDifference(valuesIn(space, *transposed),
                                          test::transposed(*projector, problem, used)),
                  2e-6);
        EXPECT_NEAR(space.dot(*volume, *transposed) / space.dot(*views, *views), 1, 1e-6);
    }
}

TEST(HostSpaceVectors, AreCombinedWrittenAndReadByParts) {
    HostSpace space = spaceOf(1, 0, false);
    const auto x = space.make(VectorKind::volume, 0);
    const auto y = space.make(VectorKind::volume, 0);
    const std::vector<float> values = test::randomValues(spaceProblem().grid.count(), 4);
    space.write(*x, 0, values);
    // What y held does not matter where it gets no share.
    space.write(*y, 0, std::vector<float>(values.size(), NAN));
    space.combine(2, *x, 0, *y);
    space.combine(1, *x, -0.5, *y);
    for (const float value : valuesIn(space, *y))
        EXPECT_FLOAT_EQ(value, 0);
    const auto slice = static_cast<std::size_t>(x->partCount());
    std::vector<float> third(slice);
    space.read(*x, 2, third);
    EXPECT_TRUE(std::equal(third.begin(), third.end(), values.begin() + 2 * x->partCount()));
    EXPECT_NEAR(space.dot(*x, *x),
                std::inner_product(values.begin(), values.end(), values.begin(), 0.0), 1e-4);
    EXPECT_THROW(space.read(*x, x->parts(), third), InternalError);
}

TEST(HostSpaceWeights, LeaveOutRaysWithoutCountsOrChord) {
    const Index rays = rayCount();
    const Detector& detector = spaceProblem().scan.detector;
    HostSpace space = spaceOf(1, 0, true);
    const std::vector<float> integrals(static_cast<std::size_t>(rays), 1);
    std::vector<float> counts(static_cast<std::size_t>(rays), 50);
    const auto spanOf = [&](const std::vector<float>& views) {
        return Span3<const float>(views.data(), spaceProblem().scan.views(), detector.rows,
                                  detector.columns);
    };
    space.setViews({0, 7}, spanOf(integrals), spanOf(counts));
    const PreparedViews all = space.prepare({.weights = RowWeights::counts}, {});
    // All counts are the same, so each weight is 1 and each square of a used ray's integral, too.
    EXPECT_NEAR(all.weightedSquares, static_cast<double>(all.usedRays), 1e-9);
    EXPECT_LT(all.usedRays, rays);
    const Index middle =
        (3 * detector.rows + detector.rows / 2) * detector.columns + detector.columns / 2;
    counts[static_cast<std::size_t>(middle)] = 0;
    space.setViews({0, 7}, spanOf(integrals), spanOf(counts));
    EXPECT_EQ(space.prepare({.weights = RowWeights::chord}, {}).usedRays, all.usedRays - 1);
    // Each used ray through an empty volume leaves a residual of 1, whose variance is 1/50 + 0.1².
    const auto r = space.make(VectorKind::views, 7);
    space.prepare({.weights = RowWeights::one, .modelError = 0.1}, {});
    const auto x = space.make(VectorKind::volume, 0);
    const ResidualSums sums = space.residual(*x, {0, 7}, *r, {});
    const auto used = static_cast<double>(all.usedRays - 1);
    EXPECT_NEAR(sums.weightedSquares, used, 1e-9);
    EXPECT_NEAR(sums.chiSquares, used / 0.03, 1e-3);
    EXPECT_EQ(space.sumsOf(*r).chiSquares, sums.chiSquares);
}

// At the minimum of ½|x − v|² + weight·Σ|∇x| of a step the two sides approach each other by the
// weight over their length; the rest stays flat.
TEST(HostSpaceFlatten, MovesTheSidesOfAStepTowardsEachOther) {
    HostSpace space = spaceOf(1, 0, false);
    const auto& [nX, nY, nZ] = spaceProblem().grid.voxels;
    space.prepare({}, {});
    const auto x = space.make(VectorKind::volume, 0);
    const auto dual = space.make(VectorKind::gradient, 0);
    std::vector<float> step;
    for (Index i = 0; i < nX * nY * nZ; ++i)
        step.push_back(i % nX < 4 ? 1.0F : 2.0F);
    space.write(*x, 0, step);
    const std::array<double, 3>& pitch = spaceProblem().grid.pitchMm;
    const double scale = *std::min_element(pitch.begin(), pitch.end()) / pitch[0];
    constexpr double kWeight = 0.3;
    const double variation = space.flatten(*x, *dual, kWeight, 2000, {});
    const double low = 1 + kWeight * scale / 4;
    const double high = 2 - kWeight * scale / static_cast<double>(nX - 4);
    const std::vector<float> flat = valuesIn(space, *x);
    for (Index i = 0; i < nX * nY * nZ; ++i)
        EXPECT_NEAR(flat[static_cast<std::size_t>(i)], i % nX < 4 ? low : high, 1e-4);
    EXPECT_NEAR(variation, (high - low) * scale * static_cast<double>(nY * nZ), 1e-2);
}

TEST(HostSpaceMask, IsTheFieldOfView) {
    VolumeGrid grid;
    grid.voxels = {5, 4, 3};
    grid.pitchMm = {2, 3, 1};
    grid.centerMm = {1, 0, 0};
    const std::vector<unsigned char> mask =
        fieldOfViewMask(grid, {.radiusMm = 4.5, .centerMm = {1, 0}});
    // Centres are at 0, 2 and 4 mm from the axis along x, at 1.5 and 4.5 mm along y.
    const std::vector<unsigned char> expected = {0, 0, 1, 0, 0, 1, 1, 1, 1, 1,
                                                 1, 1, 1, 1, 1, 0, 0, 1, 0, 0};
    EXPECT_EQ(mask, expected);
}

}  // namespace
}  // namespace gantry
