#include <gtest/gtest.h>

#include <cmath>

#include "core/describe/angle_table.h"
#include "core/describe/scan_parts.h"
#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using Severity = Problem::Severity;

fs::path xtekct() {
    return test::headers("nikon") / "Lego_alignment test_1.xtekct";
}

TEST(Nikon, ARealHeaderIsRead) {
    const ScanDescription found = readScanDescription(xtekct());
    const ScanGeometry& geometry = found.scan.geometry;
    const CircularCone& cone = geometry.cone();
    EXPECT_EQ(found.format, "Nikon X-Tek");
    EXPECT_DOUBLE_EQ(cone.sourceToIsocenterMm, 33.97571);
    EXPECT_DOUBLE_EQ(cone.sourceToDetectorMm, 679.5143);
    EXPECT_EQ(geometry.detector.columns, 1000);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[0], 0.4);
    EXPECT_EQ(geometry.views(), 1570);
    EXPECT_NEAR(cone.arcDeg, 361.033275, 1e-9);
    EXPECT_NEAR(cone.startDeg, 220.20631, 1e-9);
    EXPECT_DOUBLE_EQ(*found.scan.projections.flatValue, 58500);
    EXPECT_TRUE(found.scan.projections.isMirrored);
    EXPECT_EQ(found.scan.projections.files, "Lego_alignment test_1_????.tif");
    // The roll turns the source's offset by a thousandth.
    EXPECT_NEAR(cone.sourceOffsetMm[0], -0.0277442, 1e-7);
    EXPECT_NEAR(geometry.detector.rollDeg, -0.07657059, 1e-9);
    // The axis is seen on the column that the offset at the object, magnified, makes: columns run
    // to the left.
    const double ofDetector = geometry.axisColumn();
    EXPECT_NEAR(999 - ofDetector, 499.5 - 0.0277442 * 20 / 0.4, 0.01);
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceToIsocenterMm").places.front(),
              "Lego_alignment test_1.xtekct:17 [XTekCT] SrcToObject");
    EXPECT_EQ(test::unknownKeys(found), 0);
    EXPECT_EQ(test::problemsOf(found, Severity::error), "");
    EXPECT_TRUE(test::hasQuestion(found, "rotation"));
    EXPECT_TRUE(test::hasQuestion(found, "axisRoll"));
    EXPECT_FALSE(test::hasQuestion(found, "axisTilt"));  // is 0
}

TEST(Nikon, OlderFilesStateTheAxisOnTheDetector) {
    const test::TemporaryFolder folder;
    // 0.8 mm and 0.4 mm on the detector at its two ends are 0.6 mm · SOD / SDD at the object.
    const fs::path file = test::changed(xtekct(), folder / "a.xtekct", "ObjectOffsetX=-0.0277442",
                                        "CentreOfRotationTop=0.8\nCentreOfRotationBottom=0.4");
    const ScanDescription found = readScanDescription(
        test::changed(file, folder / "b.xtekct", "ObjectRoll=-0.07657059", "x=1"));
    EXPECT_NEAR(found.scan.geometry.cone().sourceOffsetMm[0], 0.6 / 20, 1e-6);
    EXPECT_NEAR(found.scan.geometry.detector.rollDeg, -std::atan(0.4 / 400) * 180 / kPi, 1e-6);
}

TEST(Nikon, TheTableOfAnglesIsUsedWhereTheFileSaysSo) {
    const test::TemporaryFolder folder;
    const fs::path file =
        test::changed(xtekct(), folder / "a.xtekct", "AngleFile_Use=False", "AngleFile_Use=True");
    ScanDescription found = readScanDescription(file);
    EXPECT_TRUE(found.scan.geometry.angles().anglesDeg.empty());
    EXPECT_NE(test::problemsOf(found, Severity::warning).find("which is not there"),
              std::string::npos);
    fs::copy_file(test::headers("nikon") / "_ctdata.txt", folder / "_ctdata.txt");
    found = readScanDescription(file);
    const std::vector<double>& angles = found.scan.geometry.angles().anglesDeg;
    ASSERT_EQ(angles.size(), 1570U);  // of 1571 rows
    EXPECT_NEAR(angles[1] - angles[0], 0.2617 - 0.0342, 1e-9);
    found = readScanDescription(file, {{"angleTable", "even steps"}});
    EXPECT_TRUE(found.scan.geometry.angles().anglesDeg.empty());
}

TEST(Nikon, TablesThatDoNotCountAreRefused) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "a.ang", "Proj\tAngle(deg)\n1:\t0,5\n2:\t1.5\n");
    EXPECT_EQ(readAngleTable(folder / "a.ang", 9), (std::vector{0.5, 1.5}));
    writeFileAtomically(folder / "b.ang", "Proj\tAngle(deg)\n1:\t0.5\n3:\t1.5\n");
    EXPECT_ERROR((void)readAngleTable(folder / "b.ang", 9), InputError, "line 3");
    writeFileAtomically(folder / "c.ang", "Proj\tAngle(deg)\n1:\tnan\n");
    EXPECT_ERROR((void)readAngleTable(folder / "c.ang", 9), InputError, "\"nan\"");
}

TEST(Nikon, WhatCannotBeReconstructedIsSaid) {
    const test::TemporaryFolder folder;
    fs::copy_file(xtekct(), folder / "a.xtekct");
    test::changed(test::headers("nikon") / "Lego_alignment test_1.ctprofile.xml",
                  folder / "Lego_alignment test_1.ctprofile.xml", "<HelicalScan>false",
                  "<HelicalScan>true");
    EXPECT_ERROR((void)readDescribedScan(folder / "a.xtekct"), InputError, "a helix");
}

TEST(Nikon, WrongValuesAreNamed) {
    const test::TemporaryFolder folder;
    const fs::path to = folder / "a.xtekct";
    struct Case {
        const char* piece;
        const char* by;
        const char* sentence;
    };
    for (const auto& [piece, by, sentence] :
         {Case{"SrcToObject=33.97571", "SrcToObject=nan", "SrcToObject is \"nan\""},
          Case{"SrcToObject=33.97571", "SrcToObject=1e400", "must be a finite number"},
          Case{"SrcToObject=33.97571", "Src=33.97571", "[XTekCT] SrcToObject is missing"},
          Case{"SrcToObject=33.97571", "SrcToObject=-5", "is -5 mm"},
          Case{"DetectorPixelsX=1000", "DetectorPixelsX=1e30", "whole number from 1 to 65536"},
          Case{"DetectorPixelsY=1000", "DetectorPixelsY=-3", "whole number from 1 to 65536"},
          Case{"Projections=1570", "Projections=1570.5", "whole number from 1 to 1000000"},
          Case{"DetectorPixelSizeX=0.4", "DetectorPixelSizeX=0", "view 0"},
          Case{"WhiteLevel=58500", "White=1", "WhiteLevel is missing"},
          Case{"Units=mm", "Units=inch", "Units is \"inch\""}})
        EXPECT_ERROR((void)readDescribedScan(test::changed(xtekct(), to, piece, by)), InputError,
                     sentence);
    const std::string whole = readTextFile(xtekct());
    for (std::size_t size = 0; size < 2300; size += 97) {
        writeFileAtomically(to, whole.substr(0, size));
        try {
            (void)readScanDescription(to);
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("a.xtekct"), std::string::npos) << size;
        }
    }
}

TEST(Nikon, KeysThatStandTwiceAreTold) {
    const test::TemporaryFolder folder;
    const ScanDescription found = readScanDescription(test::changed(
        xtekct(), folder / "a.xtekct", "SrcToDetector=", "SrcToDetector=700,5\nSrcToDetector="));
    EXPECT_DOUBLE_EQ(found.scan.geometry.cone().sourceToDetectorMm, 700.5);
    EXPECT_NE(test::problemsOf(found, Severity::warning).find("the first is taken"),
              std::string::npos);
}

TEST(Nikon, APoseBecomesACircle) {
    const ViewPose pose = {{0.5, -400, 2}, {-3, 500, 1}, {0.2, 0, 0}, {0, 0, 0.25}};
    const ScanGeometry geometry = circleOfPose(pose, 20, 10, "a");
    const ViewPose back = viewPoseAt(geometry, geometry.angles().startDeg);
    EXPECT_NEAR(length(back.sourceMm - pose.sourceMm), 0, 1e-8);
    EXPECT_NEAR(length(back.detectorCenterMm - pose.detectorCenterMm), 0, 1e-8);
    EXPECT_NEAR(length(back.vStepMm - pose.vStepMm), 0, 1e-8);
}

}  // namespace
}  // namespace gantry
