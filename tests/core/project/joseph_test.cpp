#include <gtest/gtest.h>

#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/phantom/voxelise.h"
#include "core/project/cpu_projector.h"
#include "tests/core/project/projection_problems.h"

namespace gantry {
namespace {

constexpr Index kScale = 3;

// Sums of some 30 products in float differ from double by a few 1e-7 of the largest one, and
// coordinates counted from a run's first voxel by 1e-6; from the volume's corner they would differ
// by more.
constexpr double kFloatError = 2e-6;

TEST(Joseph, AgreesWithItsDefinitionInDouble) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(kScale)) {
        SCOPED_TRACE(problem.name);
        const std::vector<float> volume = test::randomValues(problem.grid.count(), 1);
        const std::vector<double> expected = test::josephSums(problem, volume);
        for (const SimdLevel level : supportedSimdLevels()) {
            SCOPED_TRACE(name(level));
            const auto projector = makeCpuProjector(projectedViews(problem.scan), 2, level);
            EXPECT_LT(
                test::largestDifference(test::projected(*projector, problem, volume), expected),
                kFloatError);
        }
    }
}

TEST(Joseph, SlabsAndSetsOfViewsAddUp) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(kScale)) {
        SCOPED_TRACE(problem.name);
        const std::vector<float> volume = test::randomValues(problem.grid.count(), 2);
        const auto projector = makeCpuProjector(projectedViews(problem.scan), 2);
        const std::vector<float> whole = test::projected(*projector, problem, volume);
        const auto& [nX, nY, nZ] = problem.grid.voxels;
        const Index nV = problem.scan.detector.rows;
        const Index nU = problem.scan.detector.columns;
        std::vector<float> parts(whole.size());
        const Span3<float> out(parts.data(), problem.scan.views(), nV, nU);
        const Span3<const float> voxels(volume.data(), nZ, nY, nX);
        for (const IndexRange slices : {IndexRange{0, 5}, IndexRange{5, nZ}}) {
            projector->begin(problem.grid, slices);
            projector->set({slices.begin, slices.begin + 2},
                           voxels.slices({slices.begin, slices.begin + 2}));
            projector->set({slices.begin + 2, slices.end},
                           voxels.slices({slices.begin + 2, slices.end}));
            for (const IndexRange views : {IndexRange{0, 2}, IndexRange{2, problem.scan.views()}})
                projector->project(views, out.slices(views), {});
        }
        EXPECT_LT(test::largestDifference(parts, whole), kFloatError);
    }
}

TEST(Joseph, ResultDoesNotDependOnTheNumberOfThreads) {
    for (const test::ProjectionProblem& problem : test::projectionProblems(2)) {
        SCOPED_TRACE(problem.name);
        const std::vector<float> volume = test::randomValues(problem.grid.count(), 3);
        const auto one = makeCpuProjector(projectedViews(problem.scan), 1);
        const auto three = makeCpuProjector(projectedViews(problem.scan), 3);
        const std::vector<float> views = test::projected(*one, problem, volume);
        EXPECT_EQ(test::projected(*three, problem, volume), views);
        EXPECT_EQ(test::transposed(*three, problem, views), test::transposed(*one, problem, views));
    }
}

// RMS of the error over the RMS of the line integrals, for so many voxels and pixels across.
double errorAgainstPhantom(Index size) {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 500;
    scan.cone().sourceToDetectorMm = 1000;
    scan.cone().views = 3;
    scan.cone().startDeg = 20;
    scan.detector.columns = size;
    scan.detector.rows = size - 3;
    scan.detector.pitchMm = {300.0 / static_cast<double>(size), 300.0 / static_cast<double>(size)};
    VolumeGrid grid;
    grid.voxels = {size, size, size};
    grid.pitchMm = {150.0 / static_cast<double>(size), 150.0 / static_cast<double>(size),
                    150.0 / static_cast<double>(size)};
    PhantomPlacement placement;
    placement.scaleMm = 70;
    const Phantom phantom = makePhantom("shepp-logan", placement);
    std::vector<float> volume(static_cast<std::size_t>(grid.count()));
    voxelisePhantom(phantom, grid, {0, size}, 3, 2, {volume.data(), size, size, size});
    const auto projector = makeCpuProjector(projectedViews(scan), 2);
    const std::vector<float> views = test::projected(*projector, {"", scan, grid}, volume);
    const Index pixels = scan.detector.rows * scan.detector.columns;
    std::vector<float> exact(static_cast<std::size_t>(pixels));
    double error = 0;
    double sum = 0;
    for (Index s = 0; s < scan.views(); ++s) {
        projectPhantom(phantom, viewPose(scan, s), scan.detector, {0, scan.detector.rows}, exact);
        for (Index i = 0; i < pixels; ++i) {
            const double difference = views[s * pixels + i] - exact[i];
            error += difference * difference;
            sum += static_cast<double>(exact[i]) * exact[i];
        }
    }
    return std::sqrt(error / sum);
}

// The error is that of voxels at surfaces, whose share of rays falls with the pitch: between half
// and first order, as edges are missed by a voxel's width at most.
TEST(Joseph, ErrorAgainstThePhantomFallsWithThePitch) {
    const double coarse = errorAgainstPhantom(24);
    const double middle = errorAgainstPhantom(48);
    const double fine = errorAgainstPhantom(96);
    EXPECT_LT(coarse, 0.08);
    EXPECT_LT(middle, coarse / 1.5);
    EXPECT_LT(fine, middle / 1.5);
}

}  // namespace
}  // namespace gantry
