#include "core/geometry/check/validate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using Severity = Problem::Severity;

ScanGeometry goodScan() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 360;
    geometry.detector = {.columns = 256, .rows = 200, .pitchMm = {0.8, 0.8}};
    return geometry;
}

std::string listed(const std::vector<Problem>& problems) {
    std::string all;
    for (const Problem& problem : problems)
        all += (problem.severity == Severity::error ? "error " : "warning ") + problem.field +
               ": " + problem.message + "\n";
    return all;
}

/// The first problem is this one.
void expectFirst(const std::vector<Problem>& problems, Severity severity, const std::string& field,
                 const std::string& text) {
    ASSERT_FALSE(problems.empty()) << "expected a problem with " << field;
    EXPECT_EQ(problems[0].severity, severity) << listed(problems);
    EXPECT_EQ(problems[0].field, field) << listed(problems);
    EXPECT_NE(problems[0].message.find(text), std::string::npos) << listed(problems);
}

template <class Change>
void expectScanError(Change change, const std::string& field, const std::string& text) {
    ScanGeometry geometry = goodScan();
    change(geometry);
    expectFirst(validate(geometry), Severity::error, field, text);
}

template <class Change>
void expectScanWarning(Change change, const std::string& field, const std::string& text) {
    ScanGeometry geometry = goodScan();
    change(geometry);
    expectFirst(validate(geometry), Severity::warning, field, text);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ValidateScan, FindsNothingInAGoodScan) {
    EXPECT_EQ(listed(validate(goodScan())), "");
    ScanGeometry geometry = goodScan();
    geometry.cone().arcDeg = -200;
    geometry.detector.rollDeg = 1;
    geometry.detector.offsetMm = {6, -10};
    EXPECT_EQ(listed(validate(geometry)), "");
    geometry.cone().anglesDeg = {0, 90, 181, 270};
    geometry.cone().views = 4;
    EXPECT_EQ(listed(validate(geometry)), "");
}

TEST(ValidateScan, SaysThatTheDetectorIsNearerThanTheObject) {
    expectScanError([](ScanGeometry& g) { g.cone().sourceToDetectorMm = 400; },
                    "trajectory.sourceToDetectorMm",
                    "The detector is nearer than the object: source–detector 400 mm, "
                    "source–object 600 mm");
    expectScanError([](ScanGeometry& g) { g.cone().sourceToDetectorMm = 600; },
                    "trajectory.sourceToDetectorMm", "The detector is no farther than the object");
}

TEST(ValidateScan, WantsLengthsThatAre) {
    for (const double bad : {0.0, -3.0, kNan, kInfinity, 1e12}) {
        expectScanError([&](ScanGeometry& g) { g.cone().sourceToIsocenterMm = bad; },
                        "trajectory.sourceToIsocenterMm", "it must be");
        expectScanError([&](ScanGeometry& g) { g.cone().sourceToDetectorMm = bad; },
                        "trajectory.sourceToDetectorMm", "it must be");
        expectScanError([&](ScanGeometry& g) { g.detector.pitchMm[0] = bad; },
                        "detector.pitchMm[0]", "it must be");
        expectScanError([&](ScanGeometry& g) { g.detector.pitchMm[1] = bad; },
                        "detector.pitchMm[1]", "it must be");
    }
    expectScanError([](ScanGeometry& g) { g.detector.pitchMm[1] = -3; }, "detector.pitchMm[1]",
                    "is -3 mm; it must be greater than 0");
    expectScanError([](ScanGeometry& g) { g.detector.pitchMm[1] = 1001; }, "detector.pitchMm[1]",
                    "is 1001 mm; it must be at most 1000 mm");
    for (const double bad : {kNan, -kInfinity, 1e9}) {
        expectScanError([&](ScanGeometry& g) { g.cone().sourceOffsetMm[0] = bad; },
                        "trajectory.sourceOffsetMm[0]",
                        "it must be between -1000000 mm and 1000000 mm");
        expectScanError([&](ScanGeometry& g) { g.detector.offsetMm[1] = bad; },
                        "detector.offsetMm[1]", "it must be between -1000000 mm and 1000000 mm");
    }
}

TEST(ValidateScan, WantsCountsThatAre) {
    for (const Index bad : {Index{0}, Index{-7}, Index{65537}, Index{1} << 62}) {
        expectScanError([&](ScanGeometry& g) { g.detector.columns = bad; }, "detector.columns",
                        "it must be at ");
        expectScanError([&](ScanGeometry& g) { g.detector.rows = bad; }, "detector.rows",
                        "it must be at ");
    }
    expectScanError([](ScanGeometry& g) { g.cone().views = 0; }, "trajectory.views",
                    "is 0; it must be at least 1");
    expectScanError([](ScanGeometry& g) { g.cone().views = 1'000'001; }, "trajectory.views",
                    "is 1000001");
}

TEST(ValidateScan, WantsTiltsOfAtMost60Degrees) {
    expectScanError([](ScanGeometry& g) { g.detector.rollDeg = 61; }, "detector.rollDeg",
                    "is 61°; it must be between -60° and 60°");
    expectScanError([](ScanGeometry& g) { g.detector.tiltDeg = -90; }, "detector.tiltDeg",
                    "is -90°");
    expectScanError([](ScanGeometry& g) { g.detector.slantDeg = kNan; }, "detector.slantDeg",
                    "is nan°");
}

TEST(ValidateScan, WantsAnArc) {
    expectScanError([](ScanGeometry& g) { g.cone().arcDeg = 0; }, "trajectory.arcDeg", "is 0°");
    expectScanError([](ScanGeometry& g) { g.cone().arcDeg = 721; }, "trajectory.arcDeg",
                    "is 721°; it must be between -720° and 720°");
    expectScanError([](ScanGeometry& g) { g.cone().arcDeg = kNan; }, "trajectory.arcDeg",
                    "is nan°");
    expectScanError([](ScanGeometry& g) { g.cone().startDeg = kInfinity; }, "trajectory.startDeg",
                    "is inf°");
    expectScanWarning([](ScanGeometry& g) { g.cone().arcDeg = -361.03; }, "trajectory.arcDeg",
                      "is -361.03°, more than one turn");
}

TEST(ValidateScan, WarnsOfRaysThatOnlyViewsThatAreLeftOutMeasure) {
    ScanGeometry halfFan = goodScan();
    halfFan.detector.offsetMm = {70, 0};
    std::vector<Index> leftOut(47);
    std::iota(leftOut.begin(), leftOut.end(), Index{100});
    EXPECT_EQ(listed(validate(halfFan)), "");
    // Each view stands for 1°.
    expectFirst(validate(halfFan, leftOut), Severity::warning, "trajectory.arcDeg",
                "the views that are not left out cover 313°, and rays that pass");
    EXPECT_NE(listed(validate(halfFan, leftOut)).find("lack up to 47° of 360°"), std::string::npos);
    EXPECT_EQ(listed(validate(halfFan, {100, 200})), "");
    // A centred detector sees the same rays from the other side.
    EXPECT_EQ(listed(validate(goodScan(), leftOut)), "");
    // Whoever reads the numbers judges whether the scan has these views.
    EXPECT_EQ(listed(validate(halfFan, {-1, 360})), "");
}

TEST(ValidateScan, WantsListedAnglesThatMakeAnArc) {
    const auto with = [](std::vector<double> angles) {
        return [angles](ScanGeometry& g) {
            g.cone().anglesDeg = angles;
            g.cone().views = static_cast<Index>(angles.size());
        };
    };
    expectScanError(with({5}), "trajectory.anglesDeg",
                    "has a length of 1; it must be 2 to 1000000");
    expectScanError(with({0, 1, kNan, 3}), "trajectory.anglesDeg[2]", "is nan°");
    expectScanError(with({0, 300, 900}), "trajectory.anglesDeg",
                    "spans 900°; it must span at most 720°");
    expectScanError(with({350, 353, 356, 359, 2, 5}), "trajectory.anglesDeg",
                    "starts again at 0° in the midst of the arc");
    expectScanWarning(with({0, 90, 180, 270, 360}), "trajectory.anglesDeg",
                      "views 0 and 4 were taken from the same side, at 0° and 360°");
    expectScanWarning(with({0.5, -89.5, -179.5, -269.5, -359.5}), "trajectory.anglesDeg",
                      "views 0 and 4 were taken from the same side, at 0.5° and -359.5°");
    expectScanError(
        [](ScanGeometry& g) {
            g.cone().anglesDeg = {0, 90, 180, 270};
            g.cone().views = 3;
        },
        "trajectory.views", "is 3, but the list of angles has 4");
}

TEST(ValidateScan, WantsTheAxisOnTheDetector) {
    // 256 columns of 0.8 mm: the edge is 102.4 mm from the middle.
    expectScanError([](ScanGeometry& g) { g.detector.offsetMm[0] = 103; }, "detector.offsetMm[0]",
                    "the rotation axis falls outside the detector: with an offset of 103 mm it is "
                    "on column -1.2, and the columns are 0 to 255");
    expectScanError([](ScanGeometry& g) { g.cone().sourceOffsetMm[0] = 103; },
                    "detector.offsetMm[0]", "with an offset of 0 mm");
    expectScanWarning([](ScanGeometry& g) { g.detector.offsetMm[1] = 90; }, "detector.offsetMm[1]",
                      "beside the mid-plane (row -13.0, of 0 to 199)");
}

TEST(ValidateScan, ListsEveryErrorBeforeTheWarnings) {
    ScanGeometry geometry = goodScan();
    geometry.cone().arcDeg = 400;
    geometry.detector.rows = 0;
    geometry.detector.pitchMm = {-1, kNan};
    geometry.cone().views = -1;
    const std::vector<Problem> problems = validate(geometry);
    ASSERT_EQ(problems.size(), 5U) << listed(problems);
    EXPECT_EQ(problems[3].field, "trajectory.views");
    EXPECT_EQ(problems[4].severity, Severity::warning);
}

template <class Change>
void expectVolume(Severity severity, Change change, const std::string& field,
                  const std::string& text) {
    VolumeGrid grid = fitGrid(goodScan());
    change(grid);
    expectFirst(validate(grid, goodScan()), severity, field, text);
}

TEST(ValidateVolume, FindsNothingInTheFittedGrid) {
    EXPECT_EQ(listed(validate(fitGrid(goodScan()), goodScan())), "");
    EXPECT_EQ(listed(validate(VolumeGrid{{9, 7, 5}, {1, 2, 3}, {20, -10, 5}}, goodScan())), "");
}

TEST(ValidateVolume, WantsSizesPitchesAndACentre) {
    for (const Index bad : {Index{0}, Index{-1}, Index{32769}, Index{1} << 62})
        expectVolume(
            Severity::error, [&](VolumeGrid& g) { g.voxels[2] = bad; }, "volume.voxels[2]",
            "it must be at ");
    for (const double bad : {0.0, -0.2, kNan, kInfinity})
        expectVolume(
            Severity::error, [&](VolumeGrid& g) { g.pitchMm[1] = bad; }, "volume.pitchMm[1]",
            "it must be");
    expectVolume(
        Severity::error, [](VolumeGrid& g) { g.centerMm[0] = kNan; }, "volume.centerMm[0]",
        "is nan mm");
}

TEST(ValidateVolume, KeepsOffTheSource) {
    // Corner at √2·(5−1)/2·215 = 608 mm.
    expectVolume(
        Severity::error,
        [](VolumeGrid& g) {
            g = {{5, 5, 1}, {215, 215, 1}, {0, 0, 0}};
        },
        "volume.voxels", "its corner lies 608.112 mm from the rotation axis and the source 600 mm");
    expectVolume(
        Severity::error, [](VolumeGrid& g) { g.centerMm[1] = -560; }, "volume.voxels",
        "the volume reaches the source");
}

TEST(ValidateVolume, WarnsOfWhatTheDetectorDoesNotSee) {
    expectVolume(
        Severity::warning,
        [](VolumeGrid& g) {
            g.pitchMm = {0.8, 0.4, 0.4};
        },
        "volume.voxels", "and the detector sees the object up to 51.0146 mm from it");
    expectVolume(
        Severity::warning, [](VolumeGrid& g) { g.voxels[2] += 20; }, "volume.voxels[2]",
        "and the detector sees -40 to 40 mm on the rotation axis");
    expectVolume(
        Severity::error, [](VolumeGrid& g) { g.centerMm[2] = 100; }, "volume.centerMm[2]",
        "lies wholly outside what the detector sees, -40 to 40 mm");
    expectVolume(
        Severity::warning,
        [](VolumeGrid& g) {
            g = {{9, 9, 9}, {1, 1, 1}, {70, 0, 0}};
        },
        "volume.voxels", "reaches 74 mm");
}

// It has to be higher than what the detector sees, or wider.
TEST(ValidateVolume, TakesACubeThatHoldsTheFieldOfView) {
    ScanGeometry geometry = goodScan();
    for (const Index rows : {200, 400}) {
        geometry.detector.rows = rows;
        const VolumeGrid fitted = fitGrid(geometry);
        const Index max = std::max(fitted.voxels[0], fitted.voxels[2]);
        VolumeGrid cube = fitted;
        cube.voxels = {512, 512, 512};
        cube.pitchMm.fill(static_cast<double>(max) * fitted.pitchMm[0] / 512);
        EXPECT_EQ(listed(validate(cube, geometry)), "");
        cube.voxels[2] += 20;
        EXPECT_NE(listed(validate(cube, geometry)), "");
        cube.voxels.fill(532);
        EXPECT_NE(listed(validate(cube, geometry)), "");
    }
}

TEST(ValidateVolume, DoesNotJudgeWithABrokenScan) {
    ScanGeometry geometry = goodScan();
    geometry.cone().sourceToIsocenterMm = kNan;
    EXPECT_EQ(listed(validate(fitGrid(goodScan()), geometry)), "");
}

TEST(ThrowOnError, NamesFileAndFieldOfTheFirstError) {
    ScanGeometry geometry = goodScan();
    geometry.cone().arcDeg = 400;
    EXPECT_NO_THROW(throwOnError(validate(geometry), "scan.json"));
    geometry.detector.rows = 0;
    EXPECT_ERROR(throwOnError(validate(geometry), "scan.json"), InputError,
                 "scan.json: detector.rows: is 0; it must be at least 1");
}

}  // namespace
}  // namespace gantry
