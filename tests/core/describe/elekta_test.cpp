#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// The names are those that open readers look for. Whole scans: tests/cli/test_scanners.py.
TEST(Elekta, EachFrameHasItsPlace) {
    const test::TemporaryFolder folder;
    std::string frames;
    for (int i = 0; i < 3; ++i)
        frames += "<Frame><Seq>1</Seq><GantryAngle>" + std::to_string(30 * i) +
                  "</GantryAngle><UCentre>" + std::to_string(i) +
                  ".5</UCentre><VCentre>-2</VCentre></Frame>\n";
    writeFileAtomically(folder / "_Frames.xml",
                        "<ImageSet>\n<Frames>\n" + frames + "</Frames></ImageSet>\n");
    EXPECT_ERROR((void)readScanDescription(folder / "_Frames.xml"), InputError, "*.his");
    std::string image(68 + 2 * 4 * 3, '\0');
    image.replace(0, 4, std::string("\0p\x44\0", 4));
    image[16] = 3;
    image[18] = 2;
    image[20] = 1;
    for (const char* name : {"1.his", "2.his", "3.his"})
        writeFileAtomically(folder / name, image);
    const ScanDescription found = readScanDescription(folder / "_Frames.xml");
    const CalibratedPoses* poses = found.scan.geometry.poses();
    ASSERT_TRUE(poses);
    ASSERT_EQ(found.scan.geometry.views(), 3);
    EXPECT_EQ(found.scan.geometry.detector.columns, 4);
    // The source begins at (0, -1000, 0); at 60° it has turned counter-clockwise.
    const ViewPose& last = poses->poses()[2];
    EXPECT_NEAR(last.sourceMm.x, 1000 * std::sqrt(0.75), 1e-9);
    EXPECT_NEAR(last.sourceMm.y, -500, 1e-9);
    EXPECT_NEAR(last.detectorCenterMm.z, 2, 1e-9);
    // Along u, which is (cos 60°, sin 60°), the panel is at -2.5 mm.
    EXPECT_NEAR(last.detectorCenterMm.x * 0.5 + last.detectorCenterMm.y * std::sqrt(0.75), -2.5,
                1e-9);
    EXPECT_EQ(test::statementOf(found, "trajectory.poses").places.front(),
              "_Frames.xml:3 [Frame] GantryAngle");
    EXPECT_EQ(test::problemsOf(found, Problem::Severity::error), "");
}

}  // namespace
}  // namespace gantry
