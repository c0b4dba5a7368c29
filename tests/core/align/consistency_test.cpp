#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/align/estimate.h"
#include "core/align/fitted_line.h"
#include "core/align/mirrored_views.h"
#include "core/align/opposite_rays.h"
#include "core/align/plane_integrals.h"
#include "core/phantom/phantom.h"
#include "tests/core/align/misaligned_scan.h"

namespace gantry {
namespace {

// All pixels of an ideal scan, as a stack.
ViewStack stackOf(const Phantom& phantom, const ScanGeometry& geometry) {
    ViewStack stack;
    stack.views.resize(static_cast<std::size_t>(geometry.views()));
    std::iota(stack.views.begin(), stack.views.end(), Index{0});
    stack.rows = geometry.detector.rows;
    stack.columns = geometry.detector.columns;
    const Index pixels = stack.rows * stack.columns;
    stack.pixels = HostBuffer<float>(geometry.views() * pixels);
    for (Index s = 0; s < geometry.views(); ++s)
        projectPhantom(phantom, viewPose(geometry, s), geometry.detector, {0, stack.rows},
                       stack.pixels.span().subspan(static_cast<std::size_t>(s * pixels),
                                                   static_cast<std::size_t>(pixels)));
    return stack;
}

Phantom balls() {
    PhantomPlacement placement;
    placement.scaleMm = 70;
    placement.centerMm = {5, -4, 6};
    placement.density = 0.02;
    return makePhantom("spheres", placement);
}

ScanGeometry odd() {
    test::MisalignedScan scan;
    scan.pixels = 93;
    scan.rows = 71;
    scan.views = 67;
    ScanGeometry geometry = scan.declared();
    geometry.detector.pitchMm[1] = 5.1;
    geometry.detector.offsetMm = {7, -9};
    geometry.detector.rollDeg = 2;
    geometry.cone().sourceOffsetMm = {3, -4};
    geometry.cone().startDeg = 33;
    return geometry;
}

TEST(ViewStack, TheSourceAndRaysOfAMatrixAreThoseOfItsPose) {
    const ScanGeometry geometry = odd();
    for (const Index s : {Index{0}, Index{17}, Index{66}}) {
        const ViewPose pose = viewPose(geometry, s);
        const ProjectionMatrix matrix = projectionMatrix(pose, geometry.detector);
        EXPECT_LT(length(sourceOf(matrix) - pose.sourceMm), 1e-8);
        const Vec3 point = {12, -31, 17};
        const ProjectionMatrix::Point seen = matrix.project(point.x, point.y, point.z);
        const Vec3 towards = point - pose.sourceMm;
        const Vec3 ray = rayThrough(matrix, seen.u, seen.v);
        EXPECT_NEAR(dot(ray, towards), length(ray) * length(towards),
                    1e-9 * length(ray) * length(towards));
    }
}

TEST(ViewStack, BinnedPixelsAreSeenAtTheMiddleOfTheirPixels) {
    const ScanGeometry geometry = odd();
    const ProjectionMatrix matrix = projectionMatrix(viewPose(geometry, 5), geometry.detector);
    const ProjectionMatrix::Point fine = matrix.project(20, -10, 15);
    const ProjectionMatrix::Point coarse = binnedMatrix(matrix, {3, 3}, 10).project(20, -10, 15);
    // Pixel 0 of the stack is made of pixels 0, 1, 2, and of rows 10, 11, 12.
    EXPECT_NEAR(coarse.u * 3 + 1, fine.u, 1e-9);
    EXPECT_NEAR(coarse.v * 3 + 11, fine.v, 1e-9);
    EXPECT_NEAR(coarse.z, fine.z, 1e-9);
}

TEST(ViewStack, SmoothingKeepsTheSumAndStaysWithinItsView) {
    ViewStack stack;
    stack.views = {0, 1};
    stack.rows = 31;
    stack.columns = 41;
    stack.pixels = HostBuffer<float>(2 * 31 * 41);
    std::fill(stack.pixels.span().begin(), stack.pixels.span().end(), 0.0F);
    stack.pixels[15 * 41 + 20] = 1;
    smooth(stack, 1.5, 2);
    const std::span<const float> pixels = stack.pixels.span();
    EXPECT_NEAR(std::accumulate(pixels.begin(), pixels.begin() + 31 * 41, 0.0), 1, 1e-5);
    EXPECT_EQ(std::accumulate(pixels.begin() + 31 * 41, pixels.end(), 0.0), 0);
    // A Gaussian's peak in two dimensions: 1/(2πσ²).
    EXPECT_NEAR(pixels[15 * 41 + 20], 1 / (2 * kPi * 1.5 * 1.5), 1e-3);
    EXPECT_NEAR(pixels[15 * 41 + 22], pixels[17 * 41 + 20], 1e-7);
}

TEST(OppositeRays, AgreeWithTheTrueMatricesOnly) {
    const ScanGeometry geometry = odd();
    const ViewStack stack = stackOf(balls(), geometry);
    const Differences truth =
        oppositeRays(stack, projectionMatrices(geometry), CommonToViews::removed, 2);
    ASSERT_GT(truth.count(), 100);
    ScanGeometry shifted = geometry;
    shifted.detector.offsetMm[0] += geometry.detector.pitchMm[0];
    const Differences wrong =
        oppositeRays(stack, projectionMatrices(shifted), CommonToViews::removed, 2);
    // What is left is the interpolation between pixels.
    EXPECT_LT(truth.meanSquare(), 0.2 * wrong.meanSquare());
}

// A short arc's views see some rays from both ends, views of a few degrees none.
TEST(OppositeRays, AreThoseThatTwoViewsShare) {
    ScanGeometry geometry = odd();
    geometry.cone().arcDeg = 60;
    EXPECT_EQ(oppositeRays(stackOf(balls(), geometry), projectionMatrices(geometry),
                           CommonToViews::removed, 2)
                  .count(),
              0);
    geometry.cone().arcDeg = 215;
    EXPECT_GT(oppositeRays(stackOf(balls(), geometry), projectionMatrices(geometry),
                           CommonToViews::removed, 2)
                  .count(),
              20);
}

// An error of the flat field is in every view at the same pixel.
TEST(OppositeRays, DoNotSeeWhatEveryViewHasInAColumn) {
    ScanGeometry geometry = odd();
    geometry.detector.rollDeg = 0;
    ViewStack stack = stackOf(balls(), geometry);
    const std::vector<ProjectionMatrix> matrices = projectionMatrices(geometry);
    const double clean = oppositeRays(stack, matrices, CommonToViews::removed, 2).meanSquare();
    for (Index i = 0; i < stack.pixels.count(); ++i)
        stack.pixels[i] += 0.3F * std::sin(static_cast<float>(i % stack.columns));
    EXPECT_NEAR(oppositeRays(stack, matrices, CommonToViews::removed, 2).meanSquare(), clean,
                0.2 * clean + 1e-5);
}

std::vector<double> anglesOf(Index views, double stepDeg) {
    std::vector<double> angles;
    for (Index s = 0; s < views; ++s)
        angles.push_back(33 + static_cast<double>(s) * stepDeg);
    return angles;
}

TEST(MirroredViews, PairsAreThoseNearestToHalfATurn) {
    // Half a turn that lacks its end: its mirrored last view is a step before its first one.
    const std::vector<MirroredPair> half = mirroredPairs(anglesOf(60, 3), 8);
    ASSERT_EQ(half.size(), 2U);
    EXPECT_EQ(half[0].view, 0);
    EXPECT_EQ(half[0].before.view, 59);
    EXPECT_TRUE(half[0].before.isOpposite);
    EXPECT_EQ(half[0].after.view, 1);
    EXPECT_FALSE(half[0].after.isOpposite);
    EXPECT_NEAR(half[0].after.share, 0.5, 1e-9);
    EXPECT_EQ(half[1].view, 59);
    EXPECT_EQ(half[1].after.view, 0);
    // With its end, the last view is the whole answer.
    const std::vector<MirroredPair> ends = mirroredPairs(anglesOf(61, 3), 8);
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_EQ(ends[0].before.view, 60);
    EXPECT_NEAR(ends[0].before.share, 1, 1e-6);
    // An odd whole turn: each opposite place is between two views.
    const std::vector<MirroredPair> whole = mirroredPairs(anglesOf(71, 360.0 / 71), 8);
    ASSERT_EQ(whole.size(), 8U);
    EXPECT_EQ(whole[0].before.view, 35);
    EXPECT_EQ(whole[0].after.view, 36);
    EXPECT_TRUE(mirroredPairs(anglesOf(50, 3), 8).empty()) << "150 degrees";
}

TEST(MirroredViews, AgreeWithTheTrueMatricesOnly) {
    ScanGeometry geometry = odd();
    geometry.trajectory = ParallelBeam{geometry.angles()};
    geometry.angles().arcDeg = -180;
    geometry.detector.pitchMm = {2.2, 2.5};
    const ViewStack stack = stackOf(balls(), geometry);
    std::vector<double> angles;
    for (Index s = 0; s < geometry.views(); ++s)
        angles.push_back(geometry.angleDeg(s));
    const std::vector<MirroredPair> pairs = mirroredPairs(angles, 8);
    const auto meanSquare = [&](const ScanGeometry& of) {
        return mirroredViews(stack, projectionMatrices(of), pairs, 2).meanSquare();
    };
    // What is left is what a step's views differ by; a pixel moves the mirror image by two.
    ScanGeometry shifted = geometry;
    shifted.detector.offsetMm[0] += geometry.detector.pitchMm[0];
    EXPECT_LT(meanSquare(geometry), 0.5 * meanSquare(shifted));
    ScanGeometry rolled = geometry;
    rolled.detector.rollDeg -= 4;
    EXPECT_LT(meanSquare(geometry), 0.5 * meanSquare(rolled));
}

TEST(PlaneIntegrals, OfTwoViewsAgreeWithTheTrueMatricesOnly) {
    const ScanGeometry geometry = odd();
    const ViewStack stack = stackOf(balls(), geometry);
    const std::vector<ProjectionMatrix> matrices = projectionMatrices(geometry);
    const PlaneIntegrals planes(stack, matrices, 2);
    ASSERT_TRUE(planes.isWhole());
    const Differences truth = planes.differences(matrices, 21, 2);
    ASSERT_GT(truth.count(), 10000);
    const auto square = [&](double rollDeg, double shiftPx) {
        ScanGeometry wrong = geometry;
        wrong.detector.rollDeg += rollDeg;
        wrong.detector.offsetMm[0] += shiftPx * geometry.detector.pitchMm[0];
        return planes.differences(projectionMatrices(wrong), 21, 2).meanSquare();
    };
    EXPECT_LT(truth.meanSquare(), 0.3 * square(1, 0));
    EXPECT_LT(truth.meanSquare(), 0.3 * square(-1, 0));
    EXPECT_LT(truth.meanSquare(), 0.5 * square(0, 2));
}

// Grangeat's relation has a factor for the distance of a line from the foot of the source; without
// it views of an object far above the mid-plane contradict each other.
TEST(PlaneIntegrals, AgreeFarFromTheMidPlane) {
    test::MisalignedScan scan;
    scan.views = 40;
    ScanGeometry geometry = scan.declared();
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 600;
    PhantomShape ball;
    ball.centerMm = {20, -10, 60};
    ball.halfAxesMm = {30, 25, 22};
    ball.value = 0.03;
    const ViewStack stack = stackOf({"ball", {ball}}, geometry);
    const std::vector<ProjectionMatrix> matrices = projectionMatrices(geometry);
    const PlaneIntegrals planes(stack, matrices, 2);
    const Differences found = planes.differences(matrices, 42, 2);
    ASSERT_GT(found.count(), 5000);
    double largest = 0;
    for (const double d : found.values)
        if (!std::isnan(d)) largest = std::max(largest, std::abs(d));
    // Within the ball F falls from +2πμ·ab/… to its negative; jumps at its surface are smoothed
    // alike in all views but for their scale.
    EXPECT_LT(std::sqrt(found.meanSquare()), 0.05 * largest + 0.02);
}

TEST(PlaneIntegrals, KnowAnObjectThatReachesBeyondTheEdge) {
    const ScanGeometry geometry = odd();
    Phantom large = balls();
    large.shapes.front().halfAxesMm = {130, 130, 20};
    EXPECT_FALSE(
        PlaneIntegrals(stackOf(large, geometry), projectionMatrices(geometry), 2).isWhole());
    EXPECT_FALSE(PlaneIntegrals(stackOf({"nothing", {}}, geometry), projectionMatrices(geometry), 2)
                     .isWhole());
}

// Two views that see three straight lines' heights: d = (p₀ − 2) + x·(p₁ + 3) + noise.
TEST(LeastContradiction, FindsTheNumbersAndTheirUncertainties) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal(0, 0.1);
    Differences base;
    base.pairs = pairsOf(40);
    base.perPair = 2;
    base.values.resize(base.pairs.size() * 2);
    std::vector<double> places;
    for (double& value : base.values) {
        value = normal(random);
        places.push_back(normal(random) * 10);
    }
    base.values[5] = kUncompared;
    const auto at = [&](const Parameters& p) {
        Differences d = base;
        for (std::size_t i = 0; i < d.values.size(); ++i)
            d.values[i] += p[0] - 2 + places[i] * (p[1] + 3);
        return d;
    };
    const Estimate found = minContradiction(at, {0, 0}, {0.5, 0.5});
    EXPECT_TRUE(found.isSettled);
    EXPECT_EQ(found.count, static_cast<Index>(base.values.size()) - 1);
    // 1559 differences of 0.1 each: 0.0025, and as much for a spread of places of 1.
    EXPECT_NEAR(found.values[0], 2, 0.01);
    EXPECT_NEAR(found.values[1], -3, 0.01);
    EXPECT_GT(found.uncertainties[0], 0.001);
    EXPECT_LT(found.uncertainties[0], 0.006);
    EXPECT_GT(found.uncertainties[1], 0.001);
    EXPECT_LT(found.uncertainties[1], 0.006);
    EXPECT_NEAR(found.meanSquare, 0.01, 0.001);
}

// Noise of a view is in all its differences: it counts once, not as often as there are pairs.
TEST(LeastContradiction, CountsTheNoiseOfAViewOnce) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0, 1);
    constexpr Index kViews = 30;
    std::vector<double> noise;
    for (Index s = 0; s < kViews; ++s)
        noise.push_back(normal(random));
    Differences base;
    base.pairs = pairsOf(kViews);
    for (const auto& [a, b] : base.pairs)
        base.values.push_back(noise[static_cast<std::size_t>(a)] +
                              noise[static_cast<std::size_t>(b)]);
    const auto at = [&](const Parameters& p) {
        Differences d = base;
        for (double& value : d.values)
            value += p[0];
        return d;
    };
    const Estimate found = minContradiction(at, {0}, {0.5});
    // The mean of 2·noise over 30 views: 2/√30 = 0.37; from 435 independent pairs it would be 0.07.
    EXPECT_GT(found.uncertainties[0], 0.2);
    EXPECT_LT(found.uncertainties[0], 0.8);
}

TEST(LeastContradiction, NumbersThatChangeNothingAreUnknown) {
    Differences base;
    base.pairs = pairsOf(10);
    base.values.assign(base.pairs.size(), 0.5);
    const Estimate found = minContradiction([&](const Parameters&) { return base; }, {1.5}, {0.5});
    EXPECT_EQ(found.values[0], 1.5);
    EXPECT_TRUE(std::isinf(found.uncertainties[0]));
    EXPECT_FALSE(found.isSettled);
}

TEST(FittedLine, ALineGoesByTheWeightsOfItsPoints) {
    const std::vector<double> x = {-2, 0, 1, 5};
    const std::vector<double> y = {-3, 1, 3, 100};
    const FittedLine all =
        fittedLine(std::span(x).first(3), std::span(y).first(3), std::vector<double>{1, 1, 1});
    EXPECT_NEAR(all.slope, 2, 1e-12);
    EXPECT_NEAR(all.atZero, 1, 1e-12);
    EXPECT_NEAR(all.scatter, 0, 1e-12);
    const FittedLine weighted = fittedLine(x, y, std::vector<double>{1, 1, 1, 1e-9});
    EXPECT_NEAR(weighted.slope, 2, 1e-6);
    EXPECT_GT(fittedLine(x, y, std::vector<double>{1, 1, 1, 1}).slopeDeviation, 1);
}

}  // namespace
}  // namespace gantry
