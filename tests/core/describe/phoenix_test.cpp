#include <gtest/gtest.h>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using Severity = Problem::Severity;

fs::path pca() {
    return test::headers("ge") / "SCN230530_409.pca";
}

TEST(Phoenix, ARealHeaderIsRead) {
    const ScanDescription found = readScanDescription(pca());
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "GE phoenix datos|x");
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToDetectorMm, 807.1353464);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 41.52975);
    EXPECT_EQ(geometry.detector.columns, 2014);
    EXPECT_EQ(geometry.detector.rows, 2024);
    EXPECT_EQ(geometry.views(), 1300);
    EXPECT_DOUBLE_EQ(geometry.angles().arcDeg, 360);
    EXPECT_DOUBLE_EQ(*found.scan.projections.flatValue, 3250);
    // The axis is seen so many columns off the middle.
    EXPECT_NEAR(geometry.axisColumn(), 1006.5 + 28.524, 1e-6);
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceOffsetMm").certainty,
              StatedCertainty::unknown);
    EXPECT_EQ(test::unknownKeys(found), 0);
    EXPECT_EQ(test::problemsOf(found, Severity::error), "");
    EXPECT_NE(test::problemsOf(found, Severity::warning).find("scan optimiser"), std::string::npos);
    const ScanGeometry atDetector =
        readScanDescription(pca(), {{"axisShift", "detector"}}).scan.geometry;
    EXPECT_NEAR(atDetector.axisColumn(), 1006.5 + 28.524, 1e-6);
    EXPECT_EQ(atDetector.cone().sourceOffsetMm[0], 0);
}

TEST(Phoenix, WhatCannotBeReconstructedIsSaid) {
    const test::TemporaryFolder folder;
    const auto read = [&](const char* piece, const char* by) {
        (void)readDescribedScan(test::changed(pca(), folder / "a.pca", piece, by));
    };
    EXPECT_ERROR(read("Tilt=0.00000000", "Tilt=44.974"), InputError, "planar scan");
    EXPECT_ERROR(read("FDD=807.13534640", "FDD=7"), InputError, "trajectory.sourceToDetectorMm");
    EXPECT_ERROR(read("DimX=2014", "DimX=99999999999"), InputError, "from 1 to 65536");
    EXPECT_ERROR(read("FreeRay=3250", "FreeRay="), InputError, "FreeRay is missing or empty");
    const ScanDescription binned = readScanDescription(
        test::changed(pca(), folder / "b.pca", "VoxelSizeX=0.01029065", "VoxelSizeX=0.0205813"));
    EXPECT_NE(test::problemsOf(binned, Severity::warning).find("may be binned"), std::string::npos);
}

}  // namespace
}  // namespace gantry
