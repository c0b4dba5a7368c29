#include "core/scan/inspect/scan_notes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

std::vector<std::string> notesFor(const ScanFile& file) {
    return scanNotes(openScan(file), fitGrid(file.geometry, 32), 2, {});
}

// A scan of spheres that fits the detector.
SimulationSpec spheresScan() {
    SimulationSpec spec = test::smallScan(48, 64, 60, 410);
    spec.phantom.phantom = "spheres";
    spec.phantom.placement.scaleMm = 60;
    return spec;
}

TEST(ScanNotes, OfAGoodScanAreNone) {
    const test::TemporaryFolder folder;
    const std::vector<std::string> notes =
        notesFor(test::simulated(spheresScan(), folder / "scan"));
    EXPECT_EQ(notes, std::vector<std::string>());
}

TEST(ScanNotes, TellWhatPicturesShowAndWhichColumnsAreDead) {
    const test::TemporaryFolder folder;
    SimulationSpec spec = spheresScan();
    spec.phantom.placement.scaleMm = 200;  // wider than the detector sees
    ScanFile file = test::simulated(spec, folder / "scan");
    const std::vector<std::string> wide = notesFor(file);
    ASSERT_FALSE(wide.empty());
    EXPECT_EQ(wide[0].substr(0, 30), "The object reaches the left an") << wide[0];
    EXPECT_EQ(wide[0].back(), '.');
}

TEST(ScanNotes, LeavePicturesThatCannotBeReadToTheRun) {
    const test::TemporaryFolder folder;
    const ScanFile file = test::simulated(spheresScan(), folder / "scan");
    std::ofstream(folder / "scan/proj/proj_0000.tif", std::ios::binary | std::ios::in)
        .seekp(8)
        .write(std::string(64 * 60 * 2, '\0').data(), 64 * 60 * 2);
    EXPECT_EQ(notesFor(file), std::vector<std::string>());
}

}  // namespace
}  // namespace gantry
