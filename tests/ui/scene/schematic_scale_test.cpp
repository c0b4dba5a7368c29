#include "ui/scene/schematic/schematic_scale.h"

#include <gtest/gtest.h>

#include "tests/ui/scene/scene_fixtures.h"
#include "ui/scene/schematic/schematic_labels.h"

namespace gantry {
namespace {

TEST(SchematicScale, AnOrdinaryScannerIsDrawnToScale) {
    const ScanGeometry scan = test::benchScan();
    EXPECT_TRUE(schematicScale(scan).isToScale());
    EXPECT_EQ(drawn(scan, schematicScale(scan)), scan);
}

TEST(SchematicScale, FewRowsAreDrawnTallerWithTheVolumeThatTheyMake) {
    ScanGeometry scan = test::benchScan();
    scan.detector.rows = 3;
    scan.detector.offsetMm = {2, -5};
    const SchematicScale scale = schematicScale(scan);
    EXPECT_FALSE(scale.isToScale());
    const VolumeGrid grid = fitGrid(scan);
    const ScanGeometry tall = drawn(scan, scale);
    EXPECT_NEAR(tall.detector.offsetMm[1], -5 * scale.heights, 1e-9);
    EXPECT_EQ(tall.detector.offsetMm[0], 2);
    EXPECT_NEAR(fieldOfView(tall).zMaxMm, fieldOfView(scan).zMaxMm * scale.heights, 1e-9);
    const VolumeGrid back = undrawn(drawn(grid, scale), scale);
    EXPECT_NEAR(back.pitchMm[2], grid.pitchMm[2], 1e-12);
    EXPECT_NEAR(back.centerMm[2], grid.centerMm[2], 1e-12);
    const auto words = schematicWords(scan, grid, 0, scale);
    EXPECT_TRUE(words.notToScale.value(0).contains("Not to scale"))
        << words.notToScale.join(' ').toStdString();
}

TEST(SchematicScale, AFarSourceIsDrawnNearerAndTheFieldOfViewStays) {
    ScanGeometry scan = test::benchScan();
    scan.cone().sourceToIsocenterMm = 2e9;
    scan.cone().sourceToDetectorMm = 2.0000009e9;
    const SchematicScale scale = schematicScale(scan);
    const ScanGeometry near = drawn(scan, scale);
    EXPECT_LT(near.cone().sourceToIsocenterMm, 5000);
    EXPECT_NEAR(fieldOfView(near).radiusMm, fieldOfView(scan).radiusMm,
                0.02 * fieldOfView(scan).radiusMm);
    const auto words = schematicWords(scan, fitGrid(scan), 0, scale);
    EXPECT_TRUE(words.distances.first().contains("2000 km"))
        << words.distances.first().toStdString();
}

}  // namespace
}  // namespace gantry
