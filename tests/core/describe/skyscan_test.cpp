#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using Severity = Problem::Severity;

fs::path acquisitionLog() {
    return test::headers("skyscan") / "MML0514A_gg_lumbar1_al_26.8um_2k_.log";
}

TEST(Skyscan, ARealLogIsRead) {
    const ScanDescription found = readScanDescription(acquisitionLog());
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "Bruker SkyScan");
    // NRecon's own cone angle follows from the distance that the pixel size makes, not from the
    // 364 mm that the log states; it has six decimals.
    const double halfMm = 2240 * 0.05 / 2;
    EXPECT_NEAR(2 * degrees(std::atan(halfMm / geometry.cone().sourceToDetectorMm)), 17.291304,
                1e-5);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 197.738);
    EXPECT_EQ(geometry.views(), 1200);
    EXPECT_NEAR(geometry.angles().arcDeg, 240, 1e-9);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[1], 0.05);
    EXPECT_NEAR(geometry.detector.offsetMm[1], (1120 - 1088) * 0.05, 1e-12);
    EXPECT_NEAR(geometry.detector.offsetMm[0], -0.5 * 0.05, 1e-12);
    EXPECT_EQ(found.scan.projections.files, "MML0514A_gg_lumbar1_al_26.8um_2k_????.tif");
    EXPECT_EQ(test::unknownKeys(found), 0);
    EXPECT_EQ(test::problemsOf(found, Severity::error), "");
    const std::string warnings = test::problemsOf(found, Severity::warning);
    EXPECT_NE(warnings.find("Random Movement is ON (4)"), std::string::npos);
    EXPECT_NE(warnings.find("_TS.csv is not there"), std::string::npos);
    EXPECT_EQ(test::statementOf(found, "projections.flatValue").certainty,
              StatedCertainty::unknown);
    for (const char* name : {"rotation", "mirrored", "firstRow", "opticalAxis", "pixelRatio",
                             "imageRotation", "postalignment"})
        EXPECT_TRUE(test::hasQuestion(found, name)) << name;
}

// No file can have a name of over 255 bytes; the log says so of its own images.
TEST(Skyscan, APrefixThatNoFileCanHaveIsNoFault) {
    const test::TemporaryFolder folder;
    const std::string prefix(400, 'x');
    const ScanDescription found = readScanDescription(
        test::changed(acquisitionLog(), folder / "a.log",
                      "Prefix=MML0514A_gg_lumbar1_al_26.8um_2k_", "Prefix=" + prefix));
    EXPECT_EQ(found.scan.projections.files, prefix + "????.tif");
}

TEST(Skyscan, QuestionsAreAnswered) {
    const ScanDescription found =
        readScanDescription(acquisitionLog(), {{"pixelRatio", "ratio"},
                                               {"opticalAxis", "first row"},
                                               {"imageRotation", "negated"},
                                               {"rotation", "clockwise"}});
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_NEAR(geometry.detector.pitchMm[1], 0.05 / 1.074, 1e-12);
    EXPECT_NEAR(geometry.detector.offsetMm[1], -32 * 0.05 / 1.074, 1e-12);
    EXPECT_DOUBLE_EQ(geometry.detector.rollDeg, -0.17);
    EXPECT_NEAR(geometry.angles().arcDeg, -240, 1e-9);
}

TEST(Skyscan, WhatIsNotUsedOrWrongIsSaid) {
    const test::TemporaryFolder folder;
    const fs::path to = folder / "a.log";
    const auto warnings = [&](const char* piece, const char* by) {
        return test::problemsOf(readScanDescription(test::changed(acquisitionLog(), to, piece, by)),
                                Severity::warning);
    };
    EXPECT_NE(warnings("connected scans=1", "connected scans=3").find("3 connected parts"),
              std::string::npos);
    EXPECT_NE(warnings("Use 360 Rotation=NO", "Use 360 Rotation=YES").find("make 240°"),
              std::string::npos);
    EXPECT_NE(warnings("Camera to Source (mm)=364", "Camera to Source (mm)=264").find("264 mm"),
              std::string::npos);
    const auto read = [&](const char* piece, const char* by) {
        (void)readDescribedScan(test::changed(acquisitionLog(), to, piece, by));
    };
    EXPECT_ERROR(read("=ROUND", "=SPIRAL"), InputError, "spiral");
    EXPECT_ERROR(read("Image Pixel Size (um)=26.844857", "Image Pixel Size (um)=0"), InputError,
                 "greater than 0");
    EXPECT_ERROR(read("Number of Files= 1200", "Number of Files= -1"), InputError,
                 "whole number from 1");
    EXPECT_ERROR(read("Rotation Step (deg)=0.200", "Rotation Step (deg)=1e9"), InputError,
                 "trajectory.arcDeg");
}

// The log of a reconstruction has NRecon's settings; Gantry has two of them.
TEST(Skyscan, SettingsOfTheMakersReconstructionAreListed) {
    const ScanDescription found = readScanDescription(acquisitionLog());
    std::map<std::string, MakersSetting> settings;
    for (const MakersSetting& one : found.settings)
        settings[one.name] = one;
    EXPECT_EQ(settings["filter"].value, "Hamming (Alpha=0.54)");
    EXPECT_EQ(settings["filter"].option, "filter.window");
    EXPECT_EQ(settings["filter"].optionValue, "hamming");
    EXPECT_EQ(settings["filter's cut-off"].optionValue, "1");
    EXPECT_EQ(settings["ring removal"].value, "9");
    EXPECT_EQ(settings["beam hardening"].value, "15 %");
    EXPECT_TRUE(settings["beam hardening"].option.empty());
    EXPECT_FALSE(settings["beam hardening"].note.empty());
}

}  // namespace
}  // namespace gantry
