#include "core/geometry/views/mean_circle.h"

#include <gtest/gtest.h>

#include "tests/core/geometry/expect_same_poses.h"
#include "tests/core/geometry/random_geometry.h"

namespace gantry {
namespace {

using test::posesOf;

ScanGeometry circle(double arcDeg, Index views) {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 600;
    scan.cone().sourceToDetectorMm = 1000;
    scan.cone().sourceOffsetMm = {0, 2};
    scan.cone().startDeg = 20;
    scan.cone().arcDeg = arcDeg;
    scan.cone().views = views;
    scan.detector = {.columns = 100,
                     .rows = 90,
                     .pitchMm = {1, 1.2},
                     .offsetMm = {4, -3},
                     .rollDeg = 1,
                     .tiltDeg = -2,
                     .slantDeg = 0.7};
    return scan;
}

// By Rodrigues about an axis through the origin, and moved.
std::vector<ViewPose> elsewhere(std::vector<ViewPose> poses, Vec3 axis, double deg, Vec3 shift) {
    axis = (1 / length(axis)) * axis;
    const auto turned = [&](Vec3 a) {
        const double c = std::cos(radians(deg)), s = std::sin(radians(deg));
        return c * a + s * cross(axis, a) + (1 - c) * dot(axis, a) * axis;
    };
    for (ViewPose& pose : poses)
        pose = {turned(pose.sourceMm) + shift, turned(pose.detectorCenterMm) + shift,
                turned(pose.uStepMm), turned(pose.vStepMm)};
    return poses;
}

TEST(MeanCircle, FindsACircleAnywhereNearZ) {
    for (const double arcDeg : {360.0, 210.0, -190.0}) {
        SCOPED_TRACE(arcDeg);
        const auto poses = elsewhere(posesOf(circle(arcDeg, 40)), {1, 2, 0}, 11, {30, -20, 8});
        const MeanCircle mean = fitMeanCircle(poses);
        EXPECT_NEAR(mean.tiltOfAxisDeg, 11, 1e-6);
        EXPECT_LT(mean.sourceRmsMm, 1e-6);
        EXPECT_LT(mean.detectorRmsMm, 1e-6);
        EXPECT_NEAR(mean.mean.rollDeg, 1, 1e-6);
        EXPECT_NEAR(mean.mean.tiltDeg, -2, 1e-6);
        EXPECT_NEAR(mean.mean.slantDeg, 0.7, 1e-6);
        EXPECT_NEAR(mean.mean.detectorOffsetMm[0], 4, 1e-6);
        EXPECT_NEAR(mean.mean.sourceToAxisMm, 600, 1e-6);
        EXPECT_NEAR(mean.mean.sourceToDetectorMm, 1000, 1e-6);
        for (std::size_t s = 0; s < poses.size(); ++s)
            EXPECT_LT(test::poseDistanceMm(mean.poseAt(mean.views[s].angleDeg), poses[s],
                                           circle(arcDeg, 40).detector),
                      1e-5);
    }
}

// The axis of n scattered sources is known to about scatter/√n.
TEST(MeanCircle, ScatterAveragesOutAndIsTold) {
    test::RandomGeometry random(8);
    const ScanGeometry scan = circle(360, 300);
    const MeanCircle mean = fitMeanCircle(random.jittered(scan, 1, 0.5).poses()->poses());
    EXPECT_LT(mean.tiltOfAxisDeg, 0.02);
    EXPECT_LT(length(mean.centerMm), 0.2);
    EXPECT_NEAR(mean.mean.sourceToAxisMm, 600, 0.15);
    EXPECT_NEAR(mean.mean.rollDeg, 1, 0.08);
    // Uniform in ±1 mm along three axes, of which the angle takes one for the source.
    EXPECT_NEAR(mean.sourceRmsMm, std::sqrt(2.0 / 3), 0.08);
    EXPECT_NEAR(mean.detectorRmsMm, 1.1, 0.15);
}

TEST(MeanCircle, OfTooFewSourcesHasTheWorldsAxis) {
    for (const Index views : {1, 2}) {
        const MeanCircle mean = fitMeanCircle(posesOf(circle(360, views)));
        EXPECT_EQ(mean.axes[2], (Vec3{0, 0, 1}));
        EXPECT_EQ(mean.centerMm, Vec3{});
    }
    const MeanCircle narrow = fitMeanCircle(posesOf(circle(3, 50)));
    EXPECT_EQ(narrow.axes[2], (Vec3{0, 0, 1}));
    std::vector<ViewPose> same(7, viewPose(circle(360, 5), 0));
    EXPECT_EQ(fitMeanCircle(same).axes[2], (Vec3{0, 0, 1}));
}

TEST(MeanCircle, CountsAnglesOnwards) {
    const MeanCircle over = fitMeanCircle(posesOf(circle(420, 84)));
    EXPECT_NEAR(over.views.back().angleDeg - over.views.front().angleDeg, 415, 1e-6);
    const MeanCircle back = fitMeanCircle(posesOf(circle(-200, 50)));
    EXPECT_NEAR(back.views.back().angleDeg - back.views.front().angleDeg, -196, 1e-6);
}

}  // namespace
}  // namespace gantry
