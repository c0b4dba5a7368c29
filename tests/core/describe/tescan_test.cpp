#include <gtest/gtest.h>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using Severity = Problem::Severity;

fs::path xre() {
    return test::headers("tescan") / "data settings XRE.txt";
}

TEST(Tescan, ARealHeaderIsRead) {
    const ScanDescription found = readScanDescription(xre());
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "Tescan (XRE)");
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 149.999969);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToDetectorMm, 599.999451);
    EXPECT_EQ(geometry.detector.columns, 960);
    EXPECT_EQ(geometry.detector.rows, 948);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[0], 0.3);
    EXPECT_EQ(geometry.views(), 1440);
    EXPECT_DOUBLE_EQ(geometry.angles().arcDeg, 360);
    // COR counts from the edge of the first pixel, axisColumn() from its centre.
    EXPECT_NEAR(geometry.axisColumn(), 479.958038 - 0.5, 1e-6);
    // VC is that many rows below the upper edge of the images.
    EXPECT_NEAR(geometry.detector.offsetMm[1], -(948 / 2.0 - 474.006256) * 0.3, 1e-9);
    EXPECT_EQ(found.scan.projections.files, "scan_??????.tif");
    EXPECT_EQ(found.scan.projections.dark, "di??????.tif");
    EXPECT_EQ(found.scan.projections.flat, "io??????.tif");
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceToIsocenterMm").places.front(),
              "data settings XRE.txt:155 [CT-parameters IN] SOD");
    EXPECT_EQ(test::unknownKeys(found), 0);
    EXPECT_EQ(test::problemsOf(found, Severity::error), "");
    EXPECT_EQ(test::problemsOf(found, Severity::warning), "");
}

TEST(Tescan, HalfAPixelAndMirroredImagesAreAnswers) {
    const ScanGeometry centre = readScanDescription(xre(), {{"pixelZero", "centre"}}).scan.geometry;
    EXPECT_NEAR(centre.axisColumn(), 479.958038, 1e-6);
    const ScanGeometry mirrored = readScanDescription(xre(), {{"mirrored", "yes"}}).scan.geometry;
    EXPECT_NEAR(mirrored.axisColumn(), 959 - (479.958038 - 0.5), 1e-6);
}

TEST(Tescan, WhatCannotBeReconstructedIsSaid) {
    const test::TemporaryFolder folder;
    const auto read = [&](const char* piece, const char* by) {
        (void)readDescribedScan(test::changed(xre(), folder / "data settings.txt", piece, by));
    };
    EXPECT_ERROR(read("Vertical mode = \"Cone beam\"", "Vertical mode = \"Helix\""), InputError,
                 "Cone beam can be reconstructed");
    EXPECT_ERROR(read("nr of sections = 1", "nr of sections = 3"), InputError, "sections");
    EXPECT_ERROR(read("SDD = \"599.999451\"", "SDD = \"near\""), InputError,
                 "must be a finite number");
    EXPECT_ERROR(read("Columns = 960", "Columns = 99999999999"), InputError, "from 1 to 65536");
}

}  // namespace
}  // namespace gantry
