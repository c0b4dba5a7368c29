#include <gtest/gtest.h>

#include <string>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using Severity = Problem::Severity;

// No real file is public; the names and their order are those that open readers look for.
constexpr const char* kYxlonXml = R"(<?xml version="1.0" encoding="utf-8"?>
<ScanParameter xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <ConeBeamScanParameter>
    <PixelSize><Height>0.2</Height><Width>0.25</Width></PixelSize>
    <ProjectionSize><Height>48</Height><Width>64</Width></ProjectionSize>
    <ProjectionBitdepth>16</ProjectionBitdepth>
    <DetectorOrientation>Original</DetectorOrientation>
    <DetectorFlipDirections>None</DetectorFlipDirections>
    <ScanTrajectory xsi:type="CircleTrajectory">
      <PixelPitch>0.25</PixelPitch>
      <Fdd>4000</Fdd>
      <Fod>1000</Fod>
      <YoCenter>2</YoCenter>
      <NumberOfProjections>90</NumberOfProjections>
      <StartAngle>10</StartAngle>
      <Rotation>360</Rotation>
    </ScanTrajectory>
    <DejustmentParameter>
      <HorizontalDetectorOffset>3</HorizontalDetectorOffset>
      <VerticalDetectorOffset>-1</VerticalDetectorOffset>
      <DetectorTiltA>0</DetectorTiltA>
    </DejustmentParameter>
  </ConeBeamScanParameter>
</ScanParameter>
)";

constexpr const char* kYxlonTabs =
    "64\tNumber of Detector Elements \r\n0.2\t2D-Pixel Size [mm]\r\n2\tPixelbinning\r\n"
    "250\tFOD [mm]\r\n1000\tFDD [mm]\r\n-0.5\tCenter Offset [mm]\r\n"
    "90\tCT: Number of Projections\r\n";

fs::path written(const test::TemporaryFolder& folder, const char* name, const std::string& text) {
    writeFileAtomically(folder / name, text);
    return folder / name;
}

TEST(Yxlon, LengthsInPixelsAreRead) {
    const test::TemporaryFolder folder;
    const ScanDescription found =
        readScanDescription(written(folder, "ScanParameter.xml", kYxlonXml));
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "YXLON");
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 250);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToDetectorMm, 1000);
    EXPECT_EQ(geometry.detector.columns, 64);
    EXPECT_EQ(geometry.detector.rows, 48);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[0], 0.25);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[1], 0.2);
    // The axis is 0.5 mm off at the object, the detector 3 columns to the left and a row up.
    EXPECT_DOUBLE_EQ(geometry.cone().sourceOffsetMm[0], -0.5);
    EXPECT_DOUBLE_EQ(geometry.detector.offsetMm[0], -0.75 - 0.5);
    EXPECT_DOUBLE_EQ(geometry.detector.offsetMm[1], 0.25);
    EXPECT_DOUBLE_EQ(geometry.angles().startDeg, 10);
    EXPECT_DOUBLE_EQ(geometry.angles().arcDeg, -360);
    EXPECT_EQ(found.scan.projections.files, "Projections");
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceToIsocenterMm").places.front(),
              "ScanParameter.xml:12 [ScanTrajectory] Fod");
    EXPECT_EQ(test::problemsOf(found, Severity::error), "");
    const ScanGeometry seen =
        readScanDescription(
            folder / "ScanParameter.xml",
            {{"axisShift", "detector"}, {"axisOffset", "negated"}, {"detectorOffset", "negated"}})
            .scan.geometry;
    EXPECT_DOUBLE_EQ(seen.cone().sourceOffsetMm[0], 0.125);
    EXPECT_DOUBLE_EQ(seen.detector.offsetMm[0], 0.75 + 0.125);
}

TEST(Yxlon, AnOlderTextIsRead) {
    const test::TemporaryFolder folder;
    const ScanDescription found = readScanDescription(written(folder, "scan.txt", kYxlonTabs));
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(geometry.detector.rows, 64);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[1], 0.4);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceOffsetMm[0], 0.5);
    EXPECT_EQ(geometry.views(), 90);
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceToDetectorMm").places.front(),
              "scan.txt:5 FDD [mm]");
}

TEST(Yxlon, WhatIsNotUnderstoodIsSaid) {
    const test::TemporaryFolder folder;
    const auto with = [&](const char* piece, const char* by) {
        std::string text = kYxlonXml;
        text.replace(text.find(piece), std::string(piece).size(), by);
        return written(folder, "a.xml", text);
    };
    EXPECT_ERROR((void)readDescribedScan(with("CircleTrajectory", "HelixTrajectory")), InputError,
                 "HelixTrajectory");
    EXPECT_NE(test::problemsOf(readScanDescription(with("TiltA>0", "TiltA>0.1")), Severity::warning)
                  .find("DetectorTiltA"),
              std::string::npos);
    EXPECT_ERROR((void)readScanDescription(with("</Fod>", "</Foo>")), InputError,
                 "line 12 is not well-formed XML");
    EXPECT_ERROR((void)readScanDescription(with("4000", "")), InputError, "Fdd is missing");
}

// Elements in elements, and a long name that each of many keys would repeat.
TEST(Yxlon, HostileXmlIsBounded) {
    const test::TemporaryFolder folder;
    std::string deep = "<a><ConeBeamScanParameter/>";
    for (int i = 0; i < 10'000; ++i)
        deep += "<b>";
    for (int i = 0; i < 10'000; ++i)
        deep += "</b>";
    EXPECT_ERROR((void)readScanDescription(written(folder, "a.xml", deep + "</a>")), InputError,
                 "more than 64 elements in each other");
    const std::string name(500'000, 'n');
    std::string wide = "<a><ConeBeamScanParameter/><" + name + ">";
    for (int i = 0; i < 90'000; ++i)
        wide += "<b/>";
    EXPECT_ERROR((void)readScanDescription(written(folder, "b.xml", wide + "</" + name + "></a>")),
                 InputError, "400 are allowed");
}

}  // namespace
}  // namespace gantry
