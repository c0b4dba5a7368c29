#include "core/scan/inspect/find_defects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/scan/open_scan.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// Dead and stuck pixels of a simulated scan, in whichever order its images are.
TEST(FindDefects, MapsWorkAsTheMaskOfTheScan) {
    const test::TemporaryFolder folder;
    SimulationSpec spec = test::smallScan(5, 61, 43, 200);
    spec.deadPixels = 4;
    spec.faults.stuckPixels = 6;
    spec.photons = 40000;
    ScanFile scan = test::simulated(spec, folder / "scan");
    for (const bool isTop : {true, false})
        for (const bool isMirrored : {true, false}) {
            scan.projections.firstRowIsTop = isTop;
            scan.projections.isMirrored = isMirrored;
            scan.projections.badPixels = "bad-pixels.tif";
            const OpenScan opened = openScan(scan);
            DefectMap map = findDefects(opened, {});
            // What is dead is still so, and a stuck pixel is not one of noise.
            Index more = 0;
            for (Index i = 0; i < opened.calibration->bad.count(); ++i)
                if (opened.calibration->bad[i] != 0)
                    EXPECT_EQ(map.pixels[i], PixelDefect::dead) << i;
                else if (map.pixels[i] != PixelDefect::none)
                    ++more;
            EXPECT_LE(more, 2) << map.text();
            // A mask's first and last pixel count, too.
            map.pixels[0] = PixelDefect::dead;
            map.pixels[map.pixels.size() - 1] = PixelDefect::dead;
            writeDefects(map, scan, scan.folder / "map.tif");
            scan.projections.badPixels = "map.tif";
            const OpenScan again = openScan(scan);
            for (Index i = 0; i < again.calibration->bad.count(); ++i)
                ASSERT_EQ(again.calibration->bad[i] != 0, map.pixels[i] != PixelDefect::none) << i;
        }
}

TEST(FindDefects, GoodDetectorsHaveNone) {
    const test::TemporaryFolder folder;
    SimulationSpec spec = test::smallScan(4, 173, 131, 200);
    spec.photons = 20000;
    spec.readoutNoise = 12;
    spec.fieldFrames = 7;
    const OpenScan opened = openScan(test::simulated(spec, folder / "scan"));
    // At most 0.01 % of 22,663 pixels.
    EXPECT_EQ(findDefects(opened, {}).text(), "");
}

}  // namespace
}  // namespace gantry
