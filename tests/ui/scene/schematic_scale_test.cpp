#include "ui/scene/schematic/schematic_scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ui/scene/scene_fixtures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/scene/schematic/schematic_labels.h"
#include "ui/scene/schematic/schematic_view.h"

namespace gantry {
namespace {

TEST(SchematicScale, AnOrdinaryScannerIsDrawnToScale) {
    const ScanGeometry scan = test::benchScan();
    EXPECT_TRUE(schematicScale(scan).isToScale());
    EXPECT_EQ(drawn(scan, schematicScale(scan)), scan);
}

// What is drawn moves as much as what it shows, or the drawing says that it does not.
TEST(SchematicScale, DistancesAreDrawnInProportionOrAreSaidNotToBe) {
    for (const double pitchMm : {0.1, 0.4, 1.6})
        for (const double sodMm : {600.0, 1000.0, 3000.0, 9000.0}) {
            ScanGeometry scan = test::benchScan();
            scan.detector.pitchMm = {pitchMm, pitchMm};
            scan.cone().sourceToIsocenterMm = sodMm;
            scan.cone().sourceToDetectorMm = sodMm + 600;
            const SchematicScale scale = schematicScale(scan);
            const bool isInProportion =
                scale.sourceToIsocenterMm * 600 == scale.isocenterToDetectorMm * sodMm;
            const QStringList words = schematicWords(scan, fitGrid(scan), 0, scale).notToScale;
            EXPECT_EQ(!isInProportion || !scale.isToScale(), !words.isEmpty())
                << pitchMm << " mm, " << sodMm << " mm";
        }
}

TEST(SchematicScale, ADistanceThatIsEditedMovesTheSourceAndNotTheScale) {
    SchematicView view;
    ScanGeometry scan = test::benchScan();
    scan.cone().sourceToIsocenterMm = 1000;
    scan.cone().sourceToDetectorMm = 1400;
    const VolumeGrid grid = fitGrid(scan);
    view.setScan(scan, grid, true);
    test::show(view, {400, 320});
    const auto placeOf = [&](Vec3 at) { return view.widgetPoint(at.x, at.y, at.z); };
    const auto sourceFromAxis = [&](const ScanGeometry& of) {
        const QPointF way = placeOf(drawnPose(of, 0).sourceMm) - placeOf({});
        return std::hypot(way.x(), way.y());
    };
    const double before = sourceFromAxis(scan);
    const QPointF mark = placeOf({100, 0, 0});
    scan.cone().sourceToIsocenterMm = 600;
    scan.cone().sourceToDetectorMm = 1000;
    view.setScan(scan, grid, true);
    EXPECT_EQ(placeOf({100, 0, 0}), mark);
    EXPECT_NEAR(sourceFromAxis(scan), 0.6 * before, 0.08 * before);  // nearer is drawn larger
    // What would leave the picture makes it smaller.
    scan.cone().sourceToIsocenterMm = 3000;
    scan.cone().sourceToDetectorMm = 3400;
    view.setScan(scan, grid, true);
    EXPECT_TRUE(view.rect().contains(placeOf(drawnPose(scan, 0).sourceMm).toPoint()));
    EXPECT_NE(placeOf({100, 0, 0}), mark);
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
