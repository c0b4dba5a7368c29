#include "core/geometry/views/calibrated_poses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/geometry/check/validate.h"
#include "core/geometry/volume_grid.h"
#include "tests/core/geometry/expect_same_poses.h"
#include "tests/core/geometry/random_geometry.h"

namespace gantry {
namespace {

using test::posesOf;

ScanGeometry circle(Index views = 60) {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 500;
    scan.cone().sourceToDetectorMm = 900;
    scan.cone().views = views;
    scan.detector = {.columns = 64, .rows = 48, .pitchMm = {2, 2.5}, .offsetMm = {3, -4}};
    return scan;
}

ScanGeometry changed(std::size_t view, const std::function<void(ViewPose&)>& change) {
    std::vector<ViewPose> poses = posesOf(circle());
    change(poses[view]);
    return geometryOfPoses(std::move(poses), 64, 48);
}

// "field: message" of the first problem.
std::string firstProblem(const ScanGeometry& scan) {
    const std::vector<Problem> problems = validate(scan);
    return problems.empty() ? "" : problems.front().field + ": " + problems.front().message;
}

void expectProblem(const ScanGeometry& scan, const std::string& part) {
    const std::string found = firstProblem(scan);
    EXPECT_NE(found.find(part), std::string::npos) << found;
}

// Rays lack as in any other scan, by the mean circle of the poses.
TEST(CalibratedPoses, OfAShortArcLackRays) {
    ScanGeometry arc = circle(150);
    arc.cone().arcDeg = 150;
    EXPECT_EQ(firstProblem(geometryOfPoses(posesOf(arc), 64, 48)).substr(0, 64),
              "trajectory.poses: the views cover 150°, and rays that pass the ");
    arc.cone().arcDeg = 200;
    EXPECT_EQ(firstProblem(geometryOfPoses(posesOf(arc), 64, 48)), "");
    // What only the farther side of an offset detector sees needs a whole turn.
    arc.detector.offsetMm[0] = 30;
    expectProblem(geometryOfPoses(posesOf(arc), 64, 48), "lack up to 160° of 360°");
    arc.cone().arcDeg = 360;
    EXPECT_EQ(firstProblem(geometryOfPoses(posesOf(arc), 64, 48)), "");
}

TEST(CalibratedPoses, OfACircleAreThatCircle) {
    test::RandomGeometry random(5);
    for (int i = 0; i < 20; ++i) {
        SCOPED_TRACE(i);
        ScanGeometry scan = random.tilted();
        scan.cone().views += 10;
        scan.cone().sourceOffsetMm[0] = 0;
        const ScanGeometry posed =
            geometryOfPoses(posesOf(scan), scan.detector.columns, scan.detector.rows);
        const ScanGeometry mean = meanCircleOf(posed);
        EXPECT_LT(test::poseDistanceMm(mean, scan), 1e-5);
        EXPECT_NEAR(posed.coverageDeg(), scan.coverageDeg(), 1e-6);
        EXPECT_EQ(posed.isFullCircle(), scan.isFullCircle());
        EXPECT_NEAR(posed.magnification(), scan.magnification(), 1e-6);
        const auto weights = angularWeightsRad(posed);
        const auto expected = angularWeightsRad(scan);
        for (std::size_t s = 0; s < weights.size(); ++s)
            EXPECT_NEAR(weights[s], expected[s], 1e-6);
    }
}

TEST(CalibratedPoses, SeeAndFitWhatTheirCircleDoes) {
    const ScanGeometry scan = circle();
    const ScanGeometry posed = geometryOfPoses(posesOf(scan), 64, 48);
    EXPECT_NEAR(fieldOfView(posed).radiusMm, fieldOfView(scan).radiusMm, 1e-6);
    EXPECT_EQ(fitGrid(posed).voxels, fitGrid(scan).voxels);
    EXPECT_EQ(firstProblem(posed), firstProblem(scan));
    // Elsewhere in the world.
    std::vector<ViewPose> moved = posesOf(scan);
    for (ViewPose& pose : moved) {
        pose.sourceMm = pose.sourceMm + Vec3{100, -40, 7};
        pose.detectorCenterMm = pose.detectorCenterMm + Vec3{100, -40, 7};
    }
    const VolumeGrid there = fitGrid(geometryOfPoses(moved, 64, 48));
    EXPECT_NEAR(there.centerMm[0], 100, 1e-6);
    EXPECT_NEAR(there.centerMm[1], -40, 1e-6);
    EXPECT_NEAR(there.centerMm[2], fitGrid(scan).centerMm[2] + 7, 1e-6);
}

TEST(CalibratedPoses, SayWhichPoseIsWrong) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    expectProblem(changed(7, [&](ViewPose& pose) { pose.detectorCenterMm.y = nan; }),
                  "trajectory.poses[7]: has a value that is not a finite number");
    expectProblem(changed(8, [](ViewPose& pose) { pose.uStepMm = {}; }),
                  "trajectory.poses[8]: has a pixel step of 0 mm");
    expectProblem(changed(9, [](ViewPose& pose) { pose.vStepMm = pose.uStepMm; }),
                  "trajectory.poses[9]: has pixel steps at 0° to each other");
    expectProblem(changed(10, [](ViewPose& pose) { pose.uStepMm = -1 * pose.uStepMm; }),
                  "trajectory.poses[10]: shows the detector mirrored");
    expectProblem(changed(11,
                          [](ViewPose& pose) {
                              pose.detectorCenterMm = 2 * pose.sourceMm - pose.detectorCenterMm;
                          }),
                  "trajectory.poses[11]: has its detector behind the source");
    expectProblem(changed(12, [](ViewPose& pose) { pose.detectorCenterMm = 0.2 * pose.sourceMm; }),
                  "the detector must lie behind the axis");
    expectProblem(changed(13, [](ViewPose& pose) { pose.detectorCenterMm = pose.sourceMm; }),
                  "trajectory.poses[13]: has its source in the plane of the detector");
    expectProblem(geometryOfPoses({}, 64, 48), "trajectory.poses: has a length of 0");
}

// The same fields move and turn the detector of a circle without poses.
TEST(CalibratedPoses, AreCorrectedAsAWholeByTheDetectorsFields) {
    ScanGeometry scan = circle();
    scan.detector.offsetMm = {0, 0};
    ScanGeometry posed = geometryOfPoses(posesOf(scan), 64, 48);
    for (ScanGeometry* each : {&scan, &posed}) {
        each->detector.offsetMm = {1.5, -2};
        each->detector.rollDeg = 1;
        each->detector.tiltDeg = -2;
        each->detector.slantDeg = 3;
    }
    EXPECT_LT(test::poseDistanceMm(posed, scan), 1e-9);
    EXPECT_LT(test::poseDistanceMm(meanCircleOf(posed), scan), 1e-5);
    EXPECT_NEAR(posed.axisColumn(), scan.axisColumn(), 1e-6);
    EXPECT_EQ(firstProblem(posed), "");
    posed.detector.pitchMm[1] = 3;
    expectProblem(posed, "detector.pitchMm[1]: is 3 mm, and the poses' steps are 2.5 mm long");
    posed.detector.pitchMm[1] = 2.5;
    posed.detector.rows = 0;
    expectProblem(posed, "detector.rows");
}

TEST(CalibratedPoses, WarnOfAViewThatJumps) {
    expectProblem(changed(20,
                          [](ViewPose& pose) {
                              pose.detectorCenterMm = pose.detectorCenterMm + Vec3{0, 0, 5};
                          }),
                  "trajectory.poses[20]: jumps: its detector's offset along v is 5 mm above");
    // Jitter of all views is no jump.
    test::RandomGeometry random(3);
    EXPECT_EQ(firstProblem(random.jittered(circle(180), 1, 0.5)), "");
}

TEST(CalibratedPoses, RefuseAnAxisFarFromZ) {
    std::vector<ViewPose> lying = posesOf(circle());
    for (ViewPose& pose : lying)
        for (Vec3* a : {&pose.sourceMm, &pose.detectorCenterMm, &pose.uStepMm, &pose.vStepMm})
            *a = {a->x, -a->z, a->y};
    expectProblem(geometryOfPoses(lying, 64, 48), "an axis that leans 90° from z");
}

TEST(CalibratedPoses, KeepTheVolumeOffEverySource) {
    const ScanGeometry posed =
        changed(30, [](ViewPose& pose) { pose.sourceMm = 0.05 * pose.sourceMm; });
    VolumeGrid grid = fitGrid(circle());
    const std::vector<Problem> problems = validate(grid, posed);
    ASSERT_FALSE(problems.empty());
    EXPECT_NE(problems.front().message.find("the source of view 30"), std::string::npos)
        << problems.front().message;
    EXPECT_TRUE(validate(grid, geometryOfPoses(posesOf(circle()), 64, 48)).empty());
}

// A list as long as is allowed is fitted in seconds; a longer one is refused.
TEST(CalibratedPoses, AMillionViewsAreBounded) {
    ScanGeometry scan = circle();
    std::vector<ViewPose> poses(1'000'001, viewPose(scan, 0));
    for (std::size_t s = 0; s < poses.size(); ++s)
        poses[s] = viewPoseAt(scan, 360.0 * static_cast<double>(s) / 1'000'001);
    expectProblem(geometryOfPoses(std::move(poses), 64, 48),
                  "has a length of 1000001; it must be 1 to 1000000");
}

}  // namespace
}  // namespace gantry
