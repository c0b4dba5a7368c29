#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
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

ScanGeometry listed(ScanGeometry geometry, std::vector<double> anglesDeg) {
    geometry.angles().views = std::ssize(anglesDeg);
    geometry.angles().anglesDeg = std::move(anglesDeg);
    return geometry;
}

// Angles from one to another one, which is not among them, at this step.
void addAngles(double from, double to, double step, std::vector<double>& anglesDeg) {
    for (int i = 0; from + i * step < to - 1e-9; ++i)
        anglesDeg.push_back(from + i * step);
}

// Scans that people have asked about elsewhere, whose levels are right.
struct RightScan {
    const char* name;
    ScanGeometry geometry;
};

void addArcs(std::vector<RightScan>& scans) {
    for (const double arcDeg : {180.0, 200.0, 225.0, 270.0, 300.0, 330.0, 350.0}) {
        const auto views = static_cast<Index>(arcDeg / 2);
        scans.push_back({"an arc of parallel rays", beamOf(80, 0, arcDeg, views)});
        std::vector<double> angles;
        addAngles(0, arcDeg, 2, angles);
        scans.push_back({"its list", listed(beamOf(80, 0, 0, 1), angles)});
    }
}

void addLists(std::vector<RightScan>& scans) {
    const ScanGeometry cone = coneOf(96, 0.8, 0, 0, 1);
    std::vector<double> wrapped;
    wrapped.reserve(144);
    for (int i = 0; i < 144; ++i)
        wrapped.push_back(std::fmod(i * 180 * (std::sqrt(5) - 1), 360));
    scans.push_back({"golden angles of one turn", listed(cone, wrapped)});
    std::ranges::sort(wrapped);
    scans.push_back({"the same, sorted", listed(cone, wrapped)});
    for (const double denseDeg : {90.0, 180.0}) {
        std::vector<double> uneven;
        addAngles(0, denseDeg, 0.5, uneven);
        addAngles(denseDeg, 360, 3, uneven);
        scans.push_back({"a dense part beside a coarse one", listed(cone, uneven)});
        for (int copy = 0; copy < 20; ++copy)
            uneven.push_back(uneven.back());
        scans.push_back({"the same with copies of the last view", listed(cone, uneven)});
    }
    std::vector<double> half;
    addAngles(0, 90, 0.5, half);
    addAngles(90, 180, 3, half);
    for (int copy = 0; copy < 20; ++copy)
        half.push_back(half.back());
    scans.push_back(
        {"a dense quarter of parallel rays, and copies", listed(beamOf(80, 0, 0, 1), half)});
}

void addOthers(std::vector<RightScan>& scans) {
    for (const double distanceMm : {1625.0, 1e5, 1e6}) {
        ScanGeometry geometry = coneOf(80, 0.6 * (distanceMm + 50) / distanceMm, 0, 180, 90);
        geometry.cone().sourceToIsocenterMm = distanceMm;
        geometry.cone().sourceToDetectorMm = distanceMm + 50;
        scans.push_back({"a beam that is nearly parallel", geometry});
    }
    for (const std::array<double, 2>& pitchMm : {std::array{0.4, 0.8}, std::array{0.8, 0.4}}) {
        ScanGeometry geometry = coneOf(pitchMm[0] < 0.6 ? 192 : 96, 0.8, 0, 360, 180);
        geometry.detector.rows = pitchMm[1] < 0.6 ? 128 : 64;
        geometry.detector.pitchMm = pitchMm;
        scans.push_back({"pixels that are twice as long as wide", geometry});
    }
}

TEST(Levels, OfScansThatOthersAskedAboutAreRight) {
    std::vector<RightScan> scans;
    addArcs(scans);
    addLists(scans);
    addOthers(scans);
    for (const auto& [name, geometry] : scans) {
        SCOPED_TRACE(fmt::format("{}: {}° in {} views, source at {:g} mm", name,
                                 geometry.coverageDeg(), geometry.views(),
                                 geometry.isParallel() ? 0 : geometry.cone().sourceToIsocenterMm));
        const BodyScan scan(geometry, test::bodyAndBalls(), 2);
        const BodyLevels levels = scan.levels();
        EXPECT_NEAR(levels.body, 0.0200, 0.0001);
        EXPECT_NEAR(levels.ball, 0.0400, 0.0006);
        EXPECT_NEAR(levels.hole, 0.0000, 0.0006);
        EXPECT_FALSE(tells(scan.problems(), "lack")) << joined(scan.problems());
    }
}

// Nothing passes it: behind it the detector counts no photon beside the dark signal.
TEST(Levels, MetalThatLetsNothingPassSpoilsNoLevelFarFromIt) {
    Phantom object = test::bodyAndBalls();
    object.shapes.push_back(sphere({-8, -6, 7}, 2.2, 4));
    const ScanGeometry geometry = beamOf(80, 0, 180, 180);
    auto calibration = test::evenFlat(geometry);
    BodyScan scan(geometry, object);
    scan.toCounts(calibration);
    Index opaque = 0;
    for (Index i = 0; i < scan.views().count(); ++i) {
        float& counts = scan.views().data()[i];
        counts = std::max(100.0F, std::round(counts));
        if (counts == 100) ++opaque;
    }
    EXPECT_GT(opaque, 1000);
    const std::vector<float> voxels = scan.volume();
    EXPECT_TRUE(std::ranges::all_of(voxels, [](float value) { return std::isfinite(value); }));
    EXPECT_NEAR(BodyScan::meanWithin(voxels, {-9, -5, -1}, 3), 0.0200, 0.0001);
    EXPECT_NEAR(BodyScan::meanWithin(voxels, {8, 3, 2}, 2.5), 0.0400, 0.0006);
    EXPECT_GT(BodyScan::meanWithin(voxels, {-8, -6, 7}, 1.5), 0.3) << "as dense as can be seen";
}

}  // namespace
}  // namespace gantry
