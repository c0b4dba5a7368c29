#include "core/calibrate/calibrate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/calibrate/fit/circle_bundle.h"
#include "tests/core/calibrate/ball_scan.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::BallScan;
using test::BallViews;

constexpr double kScaleMm = 72;

Phantom phantomOf(const char* name) {
    return makePhantom(name, {.scaleMm = kScaleMm, .centerMm = {}, .density = 0.01});
}

const CalibratedNumber& numberOf(const BallCalibration& found, std::string_view name) {
    return *std::find_if(found.numbers.begin(), found.numbers.end(),
                         [&](const CalibratedNumber& n) { return n.name == name; });
}

// What a user is promised with ten thousand photons a pixel.
constexpr double kDistances = 0.0005;  // of the source–detector distance
constexpr double kAxisPx = 0.05;
constexpr double kAnglesDeg = 0.05;
constexpr double kResidualPx = 0.2;

// Within what is promised, and within four of its own uncertainties: of some thirty numbers that
// are looked at here, chance alone takes none farther.
void expectTrue(const BallCalibration& found, ScanGeometry truth) {
    for (std::size_t i = 0; i < kCircleNumbers; ++i) {
        const CalibratedNumber& n = found.numbers[i];
        if (!n.isFound) continue;
        const double error = std::abs(n.value - circleNumbers()[i].of(truth));
        EXPECT_LT(error, 4 * n.uncertainty) << n.name;
        if (std::string(n.unit) == "°") {
            EXPECT_LT(error, kAnglesDeg) << n.name;
        }
    }
    const auto shareOf = [&](const char* name, double value) {
        return std::abs(numberOf(found, name).value / value - 1);
    };
    EXPECT_TRUE(numberOf(found, "sourceToDetectorMm").isFound);
    EXPECT_LT(shareOf("sourceToDetectorMm", truth.cone().sourceToDetectorMm), kDistances);
    EXPECT_NEAR(numberOf(found, "axisColumnPx").value, axisSeenAt(truth)[0], kAxisPx);
    EXPECT_LT(found.rmsPx, kResidualPx);
    if (!found.hasScale) return;
    EXPECT_LT(shareOf("sourceToIsocenterMm", truth.cone().sourceToIsocenterMm), 2 * kDistances);
}

double distanceOf(const Phantom& phantom, std::size_t a, std::size_t b) {
    const std::vector<Vec3> balls = test::ballsOf(phantom);
    return length(balls[a] - balls[b]);
}

// Compares the places of the helix's balls, up to where the phantom stands.
void expectPlaces(const BallCalibration& found, double share) {
    const std::vector<Vec3> known = test::ballsOf(phantomOf("ball-helix"));
    ASSERT_EQ(found.balls.size(), known.size());
    for (std::size_t b = 1; b < known.size(); ++b) {
        const double distance = length(known[b] - known[b - 1]);
        EXPECT_NEAR(length(found.balls[b].centerMm - found.balls[b - 1].centerMm), distance,
                    share * distance)
            << b;
    }
}

const BallViews& helixViews() {
    static const BallViews views(test::putByHand(phantomOf("ball-helix")), BallScan());
    return views;
}

TEST(Calibrate, AHelixOfKnownPlacesTellsAll) {
    CalibrationOptions options;
    options.knownBallsMm = test::ballsOf(phantomOf("ball-helix"));
    const BallCalibration found = helixViews().calibrated(options);
    for (const CalibratedNumber& n : found.numbers)
        EXPECT_TRUE(n.isFound) << n.name << ": " << n.reason;
    expectTrue(found, BallScan().truth);
    EXPECT_EQ(found.balls.size(), 17U);
    EXPECT_FALSE(found.turnsOtherWay);
    // Counted upwards, as the list is: though neither knows of the other.
    for (std::size_t b = 0; b < found.balls.size(); ++b)
        EXPECT_EQ(found.balls[b].known, b);
}

TEST(Calibrate, AHelixOfUnknownPlacesNeedsOneLength) {
    CalibrationOptions options;
    const BallCalibration without = helixViews().calibrated(options);
    expectTrue(without, BallScan().truth);
    EXPECT_FALSE(without.hasScale);
    EXPECT_FALSE(numberOf(without, "sourceToIsocenterMm").isFound);
    const CalibratedNumber& tilt = numberOf(without, "tiltDeg");
    EXPECT_FALSE(tilt.isFound) << "places that taper look like a tilt";
    EXPECT_EQ(without.geometry.detector.tiltDeg, 0) << "as declared";
    EXPECT_GT(tilt.uncertainty, kAnglesDeg);
    EXPECT_LT(tilt.uncertainty, 0.2);
    EXPECT_EQ(without.geometry.cone().sourceToIsocenterMm, 400) << "as declared";

    options.length = {
        KnownLength::Kind::betweenBalls, distanceOf(phantomOf("ball-helix"), 2, 15), {3, 16}};
    const BallCalibration with = helixViews().calibrated(options);
    EXPECT_TRUE(with.hasScale);
    expectTrue(with, BallScan().truth);
    expectPlaces(with, 4e-3);  // of the tilt of 1.1° that is not told: they taper
    // Where the scan says the tilt, nothing else stands between the balls and their places.
    BallScan tilted;
    tilted.declared.detector.tiltDeg = tilted.truth.detector.tiltDeg;
    const BallCalibration places = helixViews().calibratedFrom(tilted.declared, options);
    expectTrue(places, tilted.truth);
    expectPlaces(places, 8e-4);  // of 24 mm a fortieth of a pixel
}

TEST(Calibrate, TheBallsDiameterIsARoughScale) {
    CalibrationOptions options;
    options.length = {KnownLength::Kind::diameter, 2 * 0.02 * kScaleMm, {0, 0}};
    const BallCalibration found = helixViews().calibrated(options);
    const CalibratedNumber& sod = numberOf(found, "sourceToIsocenterMm");
    EXPECT_TRUE(sod.isFound);
    EXPECT_NEAR(sod.value, BallScan().truth.cone().sourceToIsocenterMm, 0.01 * 407);
    EXPECT_GT(sod.uncertainty, 0.01 * 407);
    EXPECT_LT(sod.uncertainty, 0.02 * 407);
}

TEST(Calibrate, RingsInAClockwiseScan) {
    BallScan scan;
    scan.turnClockwise();
    const BallViews views(test::putByHand(phantomOf("ball-rings")), scan);
    CalibrationOptions options;
    options.knownBallsMm = test::ballsOf(phantomOf("ball-rings"));
    const BallCalibration known = views.calibrated(options);
    expectTrue(known, scan.truth);
    EXPECT_TRUE(known.hasScale);
    EXPECT_GE(known.balls.size(), 17U);  // of 19: a ball is hidden by others at times

    options.knownBallsMm.clear();
    options.length = {KnownLength::Kind::betweenRings, 1.4 * kScaleMm, {0, 0}};
    const BallCalibration rings = views.calibrated(options);
    EXPECT_TRUE(rings.hasScale);
    // The rings stand inclined by 2°, of which 0.06 % are the source–object distance's.
    expectTrue(rings, scan.truth);
}

TEST(Calibrate, ARotationTheOtherWayIsTold) {
    BallScan scan;
    scan.declared.cone().arcDeg = -360;
    const BallCalibration found = helixViews().calibratedFrom(scan.declared, {});
    EXPECT_TRUE(found.turnsOtherWay);
    EXPECT_EQ(found.geometry.cone().arcDeg, 360);
    expectTrue(found, scan.truth);
}

// The list has a ball that is not there, the phantom one that is not in the list, and an arc of
// 215° with listed angles is all there is.
TEST(Calibrate, BallsMayBeMissingOnBothSides) {
    BallScan scan;
    std::vector<double> angles;
    for (int s = 0; s < 73; ++s)
        angles.push_back(11 + 3 * s + (s % 5) * 0.1);
    for (ScanGeometry* geometry : {&scan.truth, &scan.declared})
        geometry->cone().anglesDeg = angles;
    Phantom phantom = phantomOf("ball-helix");
    CalibrationOptions options;
    options.knownBallsMm = test::ballsOf(phantom);
    options.knownBallsMm.erase(options.knownBallsMm.begin() + 4);
    phantom.shapes.pop_back();
    const BallCalibration found = BallViews(test::putByHand(phantom), scan).calibrated(options);
    EXPECT_EQ(found.balls.size(), 15U);
    expectTrue(found, scan.truth);
}

// The circle's numbers stay as declared where one ring, all of one height, does not tell them.
TEST(Calibrate, WhatAFlatRingDoesNotTellIsKept) {
    BallScan scan;
    Phantom ring{"ring", {}};
    for (int i = 0; i < 9; ++i) {
        PhantomShape ball;
        ball.centerMm = {40 * std::cos(0.7 * i), 40 * std::sin(0.7 * i), 0.3};
        ball.halfAxesMm = {1.6, 1.6, 1.6};
        ball.value = 0.3;
        ring.shapes.push_back(ball);
    }
    const BallCalibration found = BallViews(ring, scan).calibrated();
    const CalibratedNumber& tilt = numberOf(found, "tiltDeg");
    EXPECT_FALSE(tilt.isFound);
    EXPECT_EQ(tilt.value, 0);
    EXPECT_EQ(found.geometry.detector.tiltDeg, 0);
    EXPECT_NE(tilt.reason.find("do not tell it"), std::string::npos);
    EXPECT_NEAR(numberOf(found, "axisColumnPx").value, axisSeenAt(scan.truth)[0], 2 * kAxisPx);
}

// A gantry that wobbles leaves a circle's residuals, and no pose's: with the balls' places and, as
// the places follow from the poses, without them.
TEST(Calibrate, AWobblingGantryHasAPoseForEachView) {
    BallScan scan;
    scan.wobbleMm = 0.3;
    scan.truth.cone().views = scan.declared.cone().views = 49;
    const BallViews views(test::putByHand(phantomOf("ball-rings")), scan);
    CalibrationOptions options;
    options.posePerView = true;
    for (const bool areKnown : {false, true}) {
        if (areKnown) options.knownBallsMm = test::ballsOf(phantomOf("ball-rings"));
        const BallCalibration found = views.calibrated(options);
        EXPECT_GT(found.circleRmsPx, kResidualPx);
        EXPECT_LT(found.rmsPx, kResidualPx / 2);  // what counting noise leaves is a fifth of it
        EXPECT_EQ(found.viewsWithPose, 49);
        EXPECT_EQ(found.geometry.views(), 49);
        EXPECT_EQ(found.geometry.detector.columns, 275);
        // Images near others, a quarter of all, are left out, and no more.
        Index images = 0;
        for (const auto& view : found.images)
            images += std::ssize(view);
        EXPECT_GT(static_cast<double>(found.imagesUsed), 0.7 * static_cast<double>(images));
    }
}

TEST(Calibrate, HostileScansAreSentences) {
    BallScan scan;
    scan.truth.detector.columns = scan.declared.detector.columns = 91;
    scan.truth.detector.rows = scan.declared.detector.rows = 85;
    scan.truth.cone().views = scan.declared.cone().views = 24;
    EXPECT_ERROR((void)BallViews({"nothing", {}}, scan).calibrated(), InputError,
                 "projections: the views show no balls");
    scan.truth.cone().views = scan.declared.cone().views = 9;
    EXPECT_ERROR((void)BallViews({"nothing", {}}, scan).calibrated(), InputError,
                 "trajectory.views: there are 9 views");
    ScanGeometry parallel = scan.declared;
    parallel.trajectory.emplace<ParallelBeam>().views = 9;
    EXPECT_ERROR((void)BallViews({"nothing", {}}, scan).calibratedFrom(parallel, {}), InputError,
                 "trajectory.type: balls calibrate a cone's geometry");

    CalibrationOptions options;
    for (int i = 0; i < 7; ++i)
        options.knownBallsMm.push_back({9.0 * i, 4.0 * i * i, std::sin(5.0 * i) * 20});
    EXPECT_ERROR((void)helixViews().calibrated(options), InputError,
                 "do not lie as the 7 of the list do");
}

}  // namespace
}  // namespace gantry
