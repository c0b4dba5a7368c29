#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/filter/cpu_filter.h"
#include "core/filter/fdk_weights.h"
#include "tests/core/geometry/expect_same_poses.h"
#include "tests/core/geometry/random_geometry.h"

namespace gantry {
namespace {

ScanGeometry circle(double arcDeg, double offsetMm) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 460;
    geometry.cone().sourceOffsetMm = {0, -5};
    geometry.cone().startDeg = 33;
    geometry.cone().arcDeg = arcDeg;
    geometry.cone().views = 60;
    geometry.detector = {
        .columns = 77, .rows = 21, .pitchMm = {1.3, 0.9}, .offsetMm = {offsetMm, 4}};
    return geometry;
}

std::vector<float> filtered(const ScanGeometry& geometry, const AlignOptions& options = {}) {
    const RedundancyPlan plan = planRedundancy(geometry);
    AlignOptions padded = options;
    padded.padBefore = plan.padBefore;
    padded.padAfter = plan.padAfter;
    const AlignedViews aligned = alignedViews(geometry, padded);
    std::mt19937 random(4);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<float> views(
        static_cast<std::size_t>(aligned.views * aligned.detector.rows * aligned.detector.columns));
    for (float& value : views)
        value = uniform(random);
    CpuFilter(aligned, {}, plan, 2)
        .apply({views.data(), aligned.views, aligned.detector.rows, aligned.detector.columns}, 0, 0,
               {});
    return views;
}

double relativeDifference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::pow(static_cast<double>(a[i] - b[i]), 2);
        size += std::pow(static_cast<double>(b[i]), 2);
    }
    return std::sqrt(difference / size);
}

double weightOf(const AlignedViews& views, const RedundancyPlan& plan, Index view, Index row,
                double u) {
    const auto s = static_cast<std::size_t>(view);
    const ViewRays& rays = views.rays[s];
    const double fromMiddleU =
        (u - static_cast<double>(views.detector.columns - 1) / 2) * rays.pitchMm[0];
    const double fromMiddleV =
        (static_cast<double>(row) - static_cast<double>(views.detector.rows - 1) / 2) *
        rays.pitchMm[1];
    const double across = rayAcross(rays, views.detector.columns, u);
    const double common = views.weightsRad[s] * plan.cover.viewWeight(views.anglesDeg[s], across) *
                          views.detector.pitchAtAxisMm / rays.pitchMm[0];
    if (rays.rtk) {
        const RtkTerms& rtk = *rays.rtk;
        const double d = rtk.sourceToDetectorMm;
        const double tangent = std::tan(rtk.tiltRad);
        const double x = fromMiddleU + rtk.originUMm + tangent * (d - rtk.sourceToIsocenterMm);
        const double y = fromMiddleV + rtk.originVMm;
        const double cosine = d * (std::cos(rtk.tiltRad) + tangent * std::sin(rtk.tiltRad)) -
                              x * std::sin(rtk.tiltRad);
        return common * d * rtk.sourceMm * cosine /
               std::sqrt(d * d + y * y + std::pow(x - d * tangent, 2));
    }
    const double x = fromMiddleU + rays.centerMm[0];
    const double y = fromMiddleV + rays.centerMm[1];
    const double d = rays.distanceMm;
    return common * d * (rays.motionMm[0] * d - rays.motionMm[1] * x) /
           std::sqrt(x * x + y * y + d * d);
}

// Full circles, short scans and offset detectors of either side: each view's own weights are those
// of the circle that they lie on, to single precision.
TEST(OwnWeights, OfPosesOnACircleAreTheCircles) {
    for (const double arcDeg : {360.0, -360.0, 220.0})
        for (const double offsetMm : {0.0, 19.0, -23.0}) {
            SCOPED_TRACE(arcDeg);
            SCOPED_TRACE(offsetMm);
            const ScanGeometry scan = circle(arcDeg, offsetMm);
            const ScanGeometry posed =
                geometryOfPoses(test::posesOf(scan), scan.detector.columns, scan.detector.rows);
            EXPECT_EQ(planRedundancy(posed).kind, planRedundancy(scan).kind);
            EXPECT_LT(relativeDifference(filtered(posed), filtered(scan)), 2e-6);
        }
}

TEST(OwnWeights, OfADetectorThatNeedsNoAligningAreTheSame) {
    ScanGeometry scan = circle(360, 0);
    scan.cone().sourceOffsetMm[0] = 7;
    EXPECT_EQ(alignedViews(scan, {.rows = FilterRows::own}), alignedViews(scan));
    const ScanGeometry posed =
        geometryOfPoses(test::posesOf(scan), scan.detector.columns, scan.detector.rows);
    EXPECT_LT(relativeDifference(filtered(posed), filtered(scan)), 2e-6);
}

// On a plain circle RTK's weights are FDK's.
TEST(OwnWeights, AsRtkHasThemAreTheSameOnAPlainCircle) {
    ScanGeometry scan = circle(360, 3);
    scan.cone().sourceOffsetMm = {0, 0};
    EXPECT_LT(relativeDifference(filtered(scan, {.rows = FilterRows::rtk}), filtered(scan)), 2e-6);
}

// The formulas of FdkWeights as they are written there, in double. A weight is one part in 2^24 of
// its own size off, its factors each as much.
TEST(OwnWeights, AreThoseOfTheFormulas) {
    test::RandomGeometry random(3);
    ScanGeometry tilted = circle(360, 3);
    tilted.detector.tiltDeg = -11;
    tilted.detector.rollDeg = 5;
    for (const FilterRows rows : {FilterRows::own, FilterRows::rtk}) {
        const ScanGeometry scan =
            rows == FilterRows::rtk ? tilted : random.jittered(circle(360, 3), 4, 8);
        const AlignedViews views = alignedViews(scan, {.rows = rows});
        const RedundancyPlan plan = planRedundancy(scan);
        const FdkWeights weights(views, plan);
        ASSERT_TRUE(weights.areOwn());
        const auto columns = static_cast<std::size_t>(views.detector.columns);
        std::vector<float> scale(columns);
        std::vector<float> squareU(columns);
        for (const Index s : {0, 17, 59})
            for (const Index v : {0, 13, 20}) {
                weights.viewScale(s, scale);
                weights.squareU(s, squareU);
                for (const std::size_t u : {0, 30, 76}) {
                    const double found = scale[u] / std::sqrt(squareU[u] + weights.squareV(s, v));
                    const double expected = weightOf(views, plan, s, v, static_cast<double>(u));
                    EXPECT_NEAR(found, expected, 4e-7 * expected) << s << ", " << v << ", " << u;
                }
            }
    }
}

TEST(OwnWeights, AreToldOfPoses) {
    test::RandomGeometry random(1);
    const RedundancyPlan plan = planRedundancy(random.jittered(circle(360, 0), 1, 0.5));
    EXPECT_NE(plan.reason.find("each view by its own angle"), std::string::npos);
}

}  // namespace
}  // namespace gantry
