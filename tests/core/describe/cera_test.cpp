#include <gtest/gtest.h>

#include <string>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using Severity = Problem::Severity;

// No real file is public; programs that simulate scans write such ones.
constexpr const char* kCeraConfig = R"([Projections]
NumChannelsPerRow = 64
NumRows = 48
PixelSizeU = 0.4
PixelSizeV = 0.5
FlipU = false
FlipV = true
ProjectionDataDomain = Intensity
[Volume]
SizeX = 64
MidpointX = # 3
[CustomKeys]
NumProjections = 90
ProjectionFilenameMask = ./proj\part_%04d.tif
[CustomKeys.ProjectionMatrices]
SourceObjectDistance = 200
SourceImageDistance = 800
DetectorOffsetU = 0
StartAngle = 10
ScanAngle = 360
AquisitionDirection = CW
a = 0
[I0Log]
GlobalI0Value = 60000
)";

TEST(Cera, AConfigurationIsRead) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "a.config", kCeraConfig);
    const ScanDescription found = readScanDescription(folder / "a.config");
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "Siemens CERA");
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 200);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToDetectorMm, 800);
    EXPECT_EQ(geometry.detector.columns, 64);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[1], 0.5);
    EXPECT_DOUBLE_EQ(geometry.angles().startDeg, 350);
    EXPECT_DOUBLE_EQ(geometry.angles().arcDeg, -360);
    EXPECT_TRUE(found.scan.projections.firstRowIsTop);
    EXPECT_EQ(found.scan.projections.files, "./proj/part_????.tif");
    EXPECT_EQ(*found.scan.projections.flatValue, 60000);
    EXPECT_EQ(test::problemsOf(found, Severity::error), "");
    EXPECT_EQ(test::problemsOf(found, Severity::warning), "");
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceToIsocenterMm").places.front(),
              "a.config:16 [CustomKeys.ProjectionMatrices] SourceObjectDistance");
}

TEST(Cera, WhatIsNotUsedIsSaid) {
    const test::TemporaryFolder folder;
    std::string text = kCeraConfig;
    text.replace(text.find("OffsetU = 0"), 11, "OffsetU = 2");
    text += "[CustomKeys.ProjectionMatrices]\nProjectionMatrixFilename = a.txt\n";
    writeFileAtomically(folder / "a.config", text);
    const std::string warnings =
        test::problemsOf(readScanDescription(folder / "a.config"), Severity::warning);
    EXPECT_NE(warnings.find("DetectorOffsetU is not 0"), std::string::npos);
    EXPECT_NE(warnings.find("The projection matrices a.txt are not there"), std::string::npos);
}

// The matrix of a document on such files: distances of 250 and 800 mm, 2000 x 1000 pixels of
// 0.2 mm; the second view is a quarter turn on, with 3 columns and -2 rows of shift.
TEST(Cera, ATableOfMatricesTakesThePlaceOfTheCircle) {
    const test::TemporaryFolder folder;
    std::string config = kCeraConfig;
    const auto set = [&](const std::string& key, const std::string& value) {
        const std::size_t at = config.find(key + " =");
        config.replace(at, config.find('\n', at) - at, key + " = " + value);
    };
    set("NumChannelsPerRow", "2000");
    set("NumRows", "1000");
    set("PixelSizeU", "0.2");
    set("PixelSizeV", "0.2");
    set("NumProjections", "2");
    set("a", "0.1\nProjectionMatrixFilename = .\\table.txt");
    writeFileAtomically(folder / "a.config", config);
    EXPECT_NE(test::problemsOf(readScanDescription(folder / "a.config"), Severity::warning)
                  .find("The projection matrices ./table.txt are not there"),
              std::string::npos);
    const std::string begin =
        "projtable.txt version 3\nMon Nov 30 2026\n\n# format: angle / entries of projection "
        "matrices\n2\n@1\n0.0 0.0\n-3.998 16.0 0.0 999.5\n-1.998 0.0 16.0 499.5\n-0.004 0.0 0.0 "
        "1.0\n\n@2\n0.0 0.0\n";
    writeFileAtomically(
        folder / "table.txt",
        begin + "-16.0 -4.01 0.0 1002.5\n0.0 -1.99 16.0 497.5\n0.0 -0.004 0.0 1.0\n");
    const ScanDescription found = readScanDescription(folder / "a.config");
    EXPECT_EQ(test::problemsOf(found, Severity::warning), "");
    EXPECT_FALSE(test::hasQuestion(found, "rotation"));
    ASSERT_NE(found.scan.geometry.poses(), nullptr);
    const std::vector<ViewPose>& poses = found.scan.geometry.poses()->poses();
    ASSERT_EQ(poses.size(), 2U);
    const auto expectNear = [](Vec3 value, Vec3 expected) {
        EXPECT_LT(length(value - expected), 1e-9);
    };
    expectNear(poses[0].sourceMm, {250, 0, 0});
    expectNear(poses[0].detectorCenterMm, {-550, 0, 0});
    expectNear(poses[0].uStepMm, {0, 0.2, 0});
    expectNear(poses[0].vStepMm, {0, 0, 0.2});
    expectNear(poses[1].sourceMm, {0, 250, 0});
    // The axis is seen 3 columns further right, so the detector's middle is to the left of it.
    expectNear(poses[1].detectorCenterMm, {0.6, -550, 0.4});
    expectNear(poses[1].uStepMm, {-0.2, 0, 0});

    const auto refused = [&](const std::string& table, const char* why) {
        writeFileAtomically(folder / "table.txt", table);
        EXPECT_ERROR((void)readScanDescription(folder / "a.config"), InputError, why);
    };
    refused(begin + "1 2 3\n", "table.txt: line 14: has 3 numbers; there must be 4");
    refused(begin + "1 2 3 4\n", "table.txt: ends within a projection matrix");
    refused(begin.substr(0, begin.find("@2")), "has 1 projection matrices; the scan has 2 views");
    refused(begin + "1 2 3 4\n2 4 6 8\n1 1 1 1\n", "line 12: has a projection matrix without");
    refused(begin + "1 2 x 4\n", "table.txt: line 14: ");
}

}  // namespace
}  // namespace gantry
