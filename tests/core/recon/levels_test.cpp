#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/support/body_scan.h"

// Small scans as people really take them, most of which other programs get wrong in silence: the
// levels of a known object come out right, or a problem says what is the matter.
namespace gantry {
namespace {

using test::BodyLevels;
using test::BodyScan;
using test::joined;
using test::tells;

ScanGeometry coneOf(Index columns, double pitchMm, double offsetMm, double arcDeg, Index views) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 450;
    geometry.cone().arcDeg = arcDeg;
    geometry.cone().views = views;
    geometry.detector = {
        .columns = columns, .rows = 64, .pitchMm = {pitchMm, pitchMm}, .offsetMm = {offsetMm, 0}};
    return geometry;
}

ScanGeometry beamOf(Index columns, double offsetMm, double arcDeg, Index views) {
    ScanGeometry geometry = coneOf(columns, 0.6, offsetMm, arcDeg, views);
    geometry.trajectory = ParallelBeam{GantryAngles(geometry.cone())};
    return geometry;
}

// The same views as those of a whole turn, with the others left out.
BodyScan turnWithout(const ScanGeometry& turn, Index kept) {
    BodyScan scan(turn, test::bodyAndBalls(), 2);
    std::vector<Index> rest(static_cast<std::size_t>(turn.views() - kept));
    std::iota(rest.begin(), rest.end(), kept);
    scan.leaveOut(std::move(rest));
    return scan;
}

TEST(Levels, AHalfFanScanThatEndsEarlyIsRightWhereLittleIsMissing) {
    for (const Index views : {179, 177, 175}) {
        SCOPED_TRACE(2 * views);
        const BodyScan scan(coneOf(64, 0.8, 12, 2.0 * static_cast<double>(views), views),
                            test::bodyAndBalls(), 2);
        const BodyLevels levels = scan.levels();
        EXPECT_NEAR(levels.ball, 0.0400, 0.001);
        EXPECT_NEAR(levels.body, 0.0200, 0.0002);
        const BodyLevels same = turnWithout(coneOf(64, 0.8, 12, 360, 180), views).levels();
        EXPECT_NEAR(levels.ball, same.ball, 1e-4);
        EXPECT_NEAR(levels.body, same.body, 1e-4);
    }
}

TEST(Levels, AHalfFanScanOfMuchLessThanATurnIsAProblem) {
    for (const double arcDeg : {220.0, 300.0, 340.0, 345.0}) {
        SCOPED_TRACE(arcDeg);
        const auto views = static_cast<Index>(arcDeg / 2);
        const BodyScan scan(coneOf(64, 0.8, 12, arcDeg, views));
        const std::vector<std::string> problems = scan.problems();
        EXPECT_TRUE(
            tells(problems, fmt::format("trajectory.arcDeg: the views cover {:g}°", arcDeg)))
            << joined(problems);
        EXPECT_TRUE(tells(problems, "lack up to"));
    }
}

// The same arcs with the axis in the detector's middle are ordinary short scans.
TEST(Levels, AShortScanHasTheRightLevelFromItsArcOn) {
    for (const double arcDeg : {220.0, 300.0, 345.0}) {
        SCOPED_TRACE(arcDeg);
        const BodyScan scan(coneOf(96, 0.8, 0.8, arcDeg, static_cast<Index>(arcDeg / 2)),
                            test::bodyAndBalls(), 2);
        EXPECT_NEAR(scan.levels().body, 0.0200, 0.0001);
        EXPECT_FALSE(tells(scan.problems(), "lack")) << joined(scan.problems());
    }
}

TEST(Levels, HalfAcquisitionOfAParallelBeamNeedsAWholeTurn) {
    for (const double offsetMm : {15.0, -15.0}) {
        const BodyScan scan(beamOf(60, offsetMm, 360, 180), test::bodyAndBalls(), 2);
        EXPECT_NEAR(scan.levels().body, 0.0200, 0.0001);
        EXPECT_FALSE(tells(scan.problems(), "lack")) << joined(scan.problems());
    }
    const std::vector<std::string> problems = BodyScan(beamOf(60, 15, 180, 90)).problems();
    EXPECT_TRUE(tells(problems, "lack up to 180° of 360°")) << joined(problems);
}

// The object is seen whole by one side alone as soon as the axis is off by some percent of the
// columns, and the nearer edge cuts nothing off that the other side of the turn does not see.
TEST(Levels, NoOffsetOfTheAxisChangesTheLevel) {
    for (const double percent : {1.0, 3.0, 4.9, 5.1, 9.0}) {
        SCOPED_TRACE(percent);
        const double columns = 0.68 * percent;
        for (const BodyScan& scan :
             {BodyScan(beamOf(68, 0.6 * columns, 360, 180), test::bodyAndBalls(), 2),
              BodyScan(coneOf(68, 0.9, 0.9 * columns, 360, 180), test::bodyAndBalls(), 2)}) {
            EXPECT_NEAR(scan.levels().body, 0.0200, 0.0001);
            EXPECT_FALSE(tells(scan.problems(), "reaches")) << joined(scan.problems());
        }
    }
}

// 360 views of a cone, a half turn of a beam: angles with both ends, and turns of a bit more.
TEST(Levels, ATurnMayHaveBothEndsAndMore) {
    struct Turn {
        double arcDeg;
        Index views;
    };
    for (const Turn& turn : {Turn{360, 60},
                             {366, 61},
                             {372, 62},
                             {390, 65},
                             {363, 60},
                             {361, 72},
                             {450, 75},
                             {600, 100},
                             {720, 120},
                             {660, 110}}) {
        SCOPED_TRACE(turn.arcDeg);
        for (const bool isParallel : {false, true}) {
            SCOPED_TRACE(isParallel);
            const BodyScan scan(isParallel ? beamOf(80, 0, turn.arcDeg, turn.views)
                                           : coneOf(96, 0.8, 0, turn.arcDeg, turn.views),
                                test::bodyAndBalls(), 2);
            EXPECT_NEAR(scan.levels().body, 0.0200, 0.00005);
        }
    }
    for (const bool isParallel : {false, true}) {
        SCOPED_TRACE(isParallel);
        ScanGeometry geometry = isParallel ? beamOf(80, 0, 0, 61) : coneOf(96, 0.8, 0, 0, 61);
        for (int s = 0; s <= 60; ++s)
            geometry.angles().anglesDeg.push_back(6 * s);
        EXPECT_NEAR(BodyScan(geometry, test::bodyAndBalls(), 2).levels().body, 0.0200, 0.00005);
    }
}

TEST(Levels, GapsBetweenTheModulesOfADetectorAreBridged) {
    const ScanGeometry geometry = beamOf(80, 0, 180, 90);
    for (const bool areRows : {true, false}) {
        SCOPED_TRACE(areRows);
        auto calibration = test::evenFlat(geometry);
        const auto isGap = [&](Index pixel) {
            const Index at = areRows ? pixel / 80 : pixel % 80;
            return areRows ? at >= 30 && at < 34 : at >= 50 && at < 53;
        };
        for (Index i = 0; i < calibration->bad.count(); ++i)
            calibration->bad[i] = isGap(i) ? 1 : 0;
        BodyScan scan(geometry, test::bodyAndBalls(), 2);
        scan.toCounts(calibration);
        for (Index i = 0; i < scan.views().count(); ++i)
            if (isGap(i % (64 * 80))) scan.views().data()[i] = 65535;
        const BodyLevels levels = scan.levels();
        EXPECT_NEAR(levels.body, 0.0200, areRows ? 0.0005 : 0.0002);
        EXPECT_NEAR(levels.ball, areRows ? 0.0400 : 0.0395, 0.001);
        EXPECT_EQ(tells(scan.problems(), "rows above and below"), areRows)
            << joined(scan.problems());
    }
}

TEST(Levels, AnObjectThatIsWiderThanTheDetectorIsAProblem) {
    Phantom wide = test::bodyAndBalls();
    wide.shapes[0].halfAxesMm = {60, 60, 60};
    for (const ScanGeometry& geometry : {coneOf(64, 0.8, 0, 360, 60), beamOf(64, 0, 180, 60)}) {
        const std::vector<std::string> problems = BodyScan(geometry, wide).problems();
        EXPECT_TRUE(tells(problems, "reaches the left and right edges of the detector"))
            << joined(problems);
    }
    // One ball leaves the detector at one side of some views.
    Phantom outside = test::bodyAndBalls();
    outside.shapes = {outside.shapes[0], outside.shapes[1]};
    outside.shapes[0].halfAxesMm = {12, 12, 12};
    outside.shapes[1].centerMm = {24, 0, 0};
    outside.shapes[1].value = 0.05;
    const std::vector<std::string> problems =
        BodyScan(coneOf(64, 0.8, 0, 360, 90), outside).problems();
    EXPECT_TRUE(tells(problems, "reaches the left or the right edge of the detector in"))
        << joined(problems);
}

}  // namespace
}  // namespace gantry
