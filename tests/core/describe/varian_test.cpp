#include <gtest/gtest.h>

#include <string>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// The names are those that open readers look for. Scans with images: tests/cli/test_scanners.py.
TEST(Varian, AFileWithoutImagesIsRead) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "Scan.xml", R"(<?xml version="1.0"?>
<Scan xmlns="http://baseline.varian.com/schemas/Scan.xsd" Version="2.7.0.0">
  <Acquisitions>
    <SAD>1000</SAD><SID>1500</SID>
    <ImagerSizeX>1024</ImagerSizeX><ImagerSizeY>768</ImagerSizeY>
    <ImagerResX>0.388</ImagerResX><ImagerResY>0.388</ImagerResY>
    <ImagerLat>-160</ImagerLat><StartAngle>270</StartAngle><StopAngle>90</StopAngle>
  </Acquisitions>
</Scan>
)");
    const ScanDescription found = readScanDescription(folder / "Scan.xml");
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "Varian");
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToDetectorMm, 1500);
    EXPECT_EQ(geometry.detector.columns, 1024);
    EXPECT_DOUBLE_EQ(geometry.detector.offsetMm[0], -160);
    EXPECT_FALSE(found.scan.projections.firstRowIsTop);
    EXPECT_EQ(found.scan.projections.files, "Acquisitions/*/Proj_*.xim");
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceToIsocenterMm").places.front(),
              "Scan.xml:4 [Acquisitions] SAD");
    const ScanGeometry mirrored =
        readScanDescription(folder / "Scan.xml", {{"mirrored", "yes"}}).scan.geometry;
    EXPECT_DOUBLE_EQ(mirrored.detector.offsetMm[0], 160);
}

}  // namespace
}  // namespace gantry
