#include <gtest/gtest.h>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using Severity = Problem::Severity;

fs::path nsipro() {
    return test::headers("nsi") / "Plastic Part 6-5-2024.nsipro";
}

TEST(NorthStar, ARealProjectIsRead) {
    const ScanDescription found = readScanDescription(nsipro());
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "North Star");
    // The refined geometry: that measured by tape is 774.891 and 382.136.
    EXPECT_NEAR(geometry.cone().sourceToDetectorMm, 775.533, 1e-3);
    EXPECT_NEAR(geometry.cone().sourceToIsocenterMm, 381.851, 1e-3);
    // The pitch of the maker's own volume, to 1e-9 of it.
    const double pitchMm =
        0.3 * geometry.cone().sourceToIsocenterMm / geometry.cone().sourceToDetectorMm;
    EXPECT_NEAR(pitchMm, (42.7386428033509 + 46.627) / 605, 2e-9);
    EXPECT_EQ(geometry.views(), 1200);
    EXPECT_EQ(geometry.detector.columns, 1420);
    EXPECT_EQ(found.scan.projections.files,
              "Radiographs-Plastic Part 6-5-2024/Plastic Part 6-5-2024-radio*.tif");
    const std::string errors = test::problemsOf(found, Severity::error);
    EXPECT_NE(errors.find("gain0.tif"), std::string::npos);
    EXPECT_EQ(test::unknownKeys(found), 0);
    EXPECT_ERROR((void)readDescribedScan(nsipro()), InputError, "gain0.tif");
    EXPECT_EQ(found.scan.projections.turnDeg, 270);
}

// Flips come before the turn: what is mirrored left to right, then turned by a quarter, is upside
// down.
TEST(NorthStar, TurnedImagesAreFlippedTheOtherWay) {
    const test::TemporaryFolder folder;
    const ScanDescription found = readScanDescription(
        test::changed(nsipro(), folder / "a.nsipro", "<flipH>False", "<flipH>True"));
    EXPECT_FALSE(found.scan.projections.firstRowIsTop);
    EXPECT_FALSE(found.scan.projections.isMirrored);
}

TEST(NorthStar, WrongVectorsAreNamed) {
    const test::TemporaryFolder folder;
    const auto read = [&](const char* piece, const char* by) {
        (void)readDescribedScan(test::changed(nsipro(), folder / "a.nsipro", piece, by));
    };
    EXPECT_ERROR(read("<normal>0 0 1", "<normal>0 0"), InputError, "must be 3 finite numbers");
    EXPECT_ERROR(read("<normal>0 0 1", "<normal>0 0 nan"), InputError, "must be 3 finite numbers");
    EXPECT_ERROR(read("<normal>0 0 1", "<normal>1 0 0"), InputError, "different directions");
    EXPECT_ERROR(read("<normal>0 0 1", "<normal>0 0 0"), InputError, "different directions");
    EXPECT_ERROR(read("<rotate>270", "<rotate>45"), InputError, "must be 0, 90, 180 or 270");
    EXPECT_ERROR(read("</NSI Reconstruction Project>", ""), InputError, "is missing");
}

}  // namespace
}  // namespace gantry
