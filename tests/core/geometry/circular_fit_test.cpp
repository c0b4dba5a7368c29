#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/geometry/exchange/exchange.h"
#include "tests/core/geometry/expect_same_poses.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::posesOf;

ScanGeometry fit(const std::vector<ViewPose>& poses, const Detector& detector) {
    return circularGeometry(poses, detector.columns, detector.rows, "scan.txt");
}

ScanGeometry plainScan() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 60;
    geometry.detector = {.columns = 200, .rows = 100, .pitchMm = {0.5, 0.5}};
    return geometry;
}

TEST(CircularGeometry, GivesBackTheFieldsOfAScanWithoutSlant) {
    test::RandomGeometry random(51);
    for (int i = 0; i < 100; ++i) {
        ScanGeometry geometry = random.tilted();
        geometry.detector.slantDeg = 0;
        if (i % 2 == 0) geometry.detector.rollDeg = geometry.detector.tiltDeg = 0;
        geometry.cone().startDeg = random.between(0, 360);
        const ScanGeometry found = fit(posesOf(geometry), geometry.detector);
        // Ten digits below the largest length; the products of sines lose two or three.
        EXPECT_NEAR(found.cone().sourceToIsocenterMm, geometry.cone().sourceToIsocenterMm, 1e-10);
        EXPECT_NEAR(found.cone().sourceToDetectorMm, geometry.cone().sourceToDetectorMm, 1e-10);
        EXPECT_NEAR(found.cone().startDeg, geometry.cone().startDeg, 1e-10);
        EXPECT_NEAR(found.cone().arcDeg, geometry.cone().arcDeg, 1e-9);
        EXPECT_TRUE(found.cone().anglesDeg.empty());
        for (std::size_t axis = 0; axis < 2; ++axis) {
            EXPECT_NEAR(found.cone().sourceOffsetMm[axis], geometry.cone().sourceOffsetMm[axis],
                        1e-10);
            EXPECT_NEAR(found.detector.offsetMm[axis], geometry.detector.offsetMm[axis], 1e-10);
            EXPECT_NEAR(found.detector.pitchMm[axis], geometry.detector.pitchMm[axis], 1e-12);
        }
        EXPECT_NEAR(found.detector.rollDeg, geometry.detector.rollDeg, 1e-10);
        EXPECT_NEAR(found.detector.tiltDeg, geometry.detector.tiltDeg, 1e-10);
        EXPECT_EQ(found.detector.slantDeg, 0);
        EXPECT_EQ(found.isAligned(), geometry.isAligned());
    }
}

TEST(CircularGeometry, KeepsThePosesOfAnyScan) {
    test::RandomGeometry random(52);
    for (int i = 0; i < 100; ++i) {
        const ScanGeometry geometry = i % 2 == 0 ? random.tilted() : random.listed();
        test::expectSamePoses(fit(posesOf(geometry), geometry.detector), geometry);
    }
}

TEST(CircularGeometry, MakesAnAlignedScanOfASlantedDetector) {
    ScanGeometry geometry = plainScan();
    geometry.detector.slantDeg = 5;
    const ScanGeometry found = fit(posesOf(geometry), geometry.detector);
    EXPECT_TRUE(found.isAligned());
    EXPECT_NEAR(found.cone().startDeg, 5, 1e-10);
    test::expectSamePoses(found, geometry);
}

TEST(CircularGeometry, KnowsFullCirclesAndTheirDirection) {
    ScanGeometry geometry = plainScan();
    for (const Index views : {2, 3, 4, 59, 720}) {
        for (const double start : {0.0, 90.0, 359.99, 123.456}) {
            for (const double arc : {360.0, -360.0}) {
                geometry.cone().views = views;
                geometry.cone().startDeg = start;
                geometry.cone().arcDeg = arc;
                const ScanGeometry found = fit(posesOf(geometry), geometry.detector);
                EXPECT_EQ(found.views(), views);
                EXPECT_EQ(found.cone().startDeg, start);
                // Two opposite views do not tell the direction.
                EXPECT_EQ(views > 2 ? found.cone().arcDeg : std::abs(found.cone().arcDeg),
                          views > 2 ? arc : 360);
            }
        }
    }
}

TEST(CircularGeometry, KeepsOverscansAndGivesStartsWithinOneTurn) {
    ScanGeometry geometry = plainScan();
    geometry.cone().startDeg = -30;
    for (const double arc : {400.0, 720.0, -361.03, 200.0}) {
        geometry.cone().arcDeg = arc;
        const ScanGeometry found = fit(posesOf(geometry), geometry.detector);
        EXPECT_EQ(found.cone().startDeg, 330);
        EXPECT_NEAR(found.cone().arcDeg, arc, 1e-10);
        test::expectSamePoses(found, geometry);
    }
}

TEST(CircularGeometry, ListsUnevenAnglesOnwardsFromTheFirst) {
    ScanGeometry geometry = plainScan();
    geometry.cone().anglesDeg = {350, 357.5, 361, 370, 380.25};
    geometry.cone().views = 5;
    const ScanGeometry found = fit(posesOf(geometry), geometry.detector);
    ASSERT_EQ(found.cone().anglesDeg.size(), 5U);
    for (std::size_t s = 0; s < 5; ++s)
        EXPECT_NEAR(found.cone().anglesDeg[s], geometry.cone().anglesDeg[s], 1e-10);
    EXPECT_NEAR(found.coverageDeg(), geometry.coverageDeg(), 1e-9);
}

TEST(CircularGeometry, ListsGoldenAnglesWithinOneTurn) {
    ScanGeometry geometry = plainScan();
    geometry.cone().views = 100;
    for (int s = 0; s < 100; ++s)
        geometry.cone().anglesDeg.push_back(s * 137.50776405);
    const ScanGeometry found = fit(posesOf(geometry), geometry.detector);
    ASSERT_EQ(found.cone().anglesDeg.size(), 100U);
    for (const double angle : found.cone().anglesDeg)
        EXPECT_TRUE(angle >= 0 && angle < 360);
    test::expectSamePoses(found, geometry);
}

TEST(CircularGeometry, NamesTheViewAndWhatDeviates) {
    const ScanGeometry geometry = plainScan();
    const auto refused = [&](auto change, const char* text) {
        std::vector<ViewPose> poses = posesOf(geometry);
        ViewPose& pose = poses[16];
        change(pose);
        EXPECT_ERROR((void)fit(poses, geometry.detector), InputError, text);
    };
    refused(
        [](ViewPose& pose) { pose.sourceMm.z += 3; },
        "scan.txt: view 16 of 0 to 59: the source's offset along v is 3 mm where most views have "
        "0 mm, 3 mm off");
    refused(
        [](ViewPose& pose) { pose.sourceMm = 1.01 * pose.sourceMm; },
        "view 16 of 0 to 59: the source–isocentre distance is 606 mm where most views have 600 mm");
    refused([](ViewPose& pose) { pose.detectorCenterMm = 1.5 * pose.detectorCenterMm; },
            "the source–detector distance is 1500 mm where most views have 1200 mm");
    refused([](ViewPose& pose) { pose.uStepMm = 2 * pose.uStepMm; },
            "the pitch along u is 1 mm where most views have 0.5 mm");
    const auto rolled = [](double raisedMm) {
        return [raisedMm](ViewPose& pose) {
            const Vec3 u = pose.uStepMm;
            pose.uStepMm = u + 0.1 * pose.vStepMm;
            pose.vStepMm = pose.vStepMm - 0.1 * u;
            pose.sourceMm.z += raisedMm;
        };
    };
    refused(rolled(0), "the detector's roll is 5.71059");
    // The field that moves a point farther is named: this roll moves the detector's corners by 5.57
    // mm.
    refused(rolled(4.5), "the detector's roll is 5.71059");
    refused(rolled(6.5), "the source's offset along v is 6.5 mm where most views have 0 mm");
}

TEST(CircularGeometry, ToleratesAHundredthOfAPixel) {
    const ScanGeometry geometry = plainScan();
    std::vector<ViewPose> poses = posesOf(geometry);
    poses[5].sourceMm.z += 4e-3;
    const ScanGeometry found = fit(poses, geometry.detector);
    EXPECT_EQ(found.cone().sourceOffsetMm[1], 0);
    EXPECT_TRUE(found.isAligned());
    poses[5].sourceMm.z += 2e-3;
    EXPECT_ERROR((void)fit(poses, geometry.detector), InputError, "view 5 of 0 to 59");
}

TEST(CircularGeometry, RefusesPosesThatAreNoDetector) {
    const ScanGeometry geometry = plainScan();
    const auto refused = [&](auto change, const char* text) {
        std::vector<ViewPose> poses = posesOf(geometry);
        change(poses[3]);
        EXPECT_ERROR((void)fit(poses, geometry.detector), InputError, text);
    };
    refused([](ViewPose& pose) { pose.vStepMm = -1 * pose.vStepMm; },
            "view 3 of 0 to 59 shows the detector mirrored");
    refused(
        [](ViewPose& pose) {
            pose.uStepMm = {0, 0, 0};
        },
        "view 3 of 0 to 59 has a pixel step of 0 mm");
    refused([](ViewPose& pose) { pose.uStepMm = pose.uStepMm + 0.2 * pose.vStepMm; },
            "has pixel steps at 78.69");
    refused([](ViewPose& pose) { pose.sourceMm = pose.detectorCenterMm; },
            "has its source in the plane of the detector");
    refused([](ViewPose& pose) { pose.sourceMm.x = std::nan(""); }, "not a finite number");
    refused(
        [](ViewPose& pose) {
            pose = {{0, 0, 600}, {0, 0, -600}, {0.5, 0, 0}, {0, 0.5, 0}};
        },
        "has its detector perpendicular to the rotation axis");
    EXPECT_ERROR((void)fit({}, geometry.detector), InputError, "scan.txt holds no view");
}

}  // namespace
}  // namespace gantry
