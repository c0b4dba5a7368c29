#include <gtest/gtest.h>

#include <string>

#include "tests/core/describe/described.h"
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
    EXPECT_NE(warnings.find("ProjectionMatrixFilename are not read"), std::string::npos);
}

}  // namespace
}  // namespace gantry
