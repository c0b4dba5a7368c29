#include "ui/scene/schematic/schematic_shape.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ui/scene/scene_fixtures.h"
#include "ui/scene/schematic/schematic_scale.h"

namespace gantry {
namespace {

using test::benchScan;

std::size_t pointCount(const SchematicShape& shape) {
    return shape.fine.points.size() + shape.strong.points.size() + shape.solids.points.size() +
           shape.faces.points.size();
}

SchematicShape shapeOf(const ScanGeometry& scan, Index view = 0) {
    return schematicShape(scan, fitGrid(benchScan()), view, themeFor(ThemeKind::dark));
}

TEST(SchematicShape, HasFewPointsWhateverTheScan) {
    ScanGeometry scan = benchScan();
    EXPECT_LT(pointCount(shapeOf(scan)), 2000U);
    scan.detector.columns = 65536;
    scan.detector.pitchMm[0] = 400.0 / 65536;
    scan.cone().arcDeg = 200;
    for (int i = 0; i < 100'000; ++i)
        scan.cone().anglesDeg.push_back(200.0 * i / 100'000);
    scan.cone().views = 100'000;
    EXPECT_LT(pointCount(shapeOf(scan, 99'999)), 2000U);
}

TEST(SchematicShape, LiesWithinItsRadiusAboutTheIsocentre) {
    const ScanGeometry scan = benchScan();
    const double radius = schematicRadiusMm(scan, fitGrid(scan));
    const SchematicShape shape = shapeOf(scan, 100);
    for (const ColouredMesh* mesh : {&shape.fine, &shape.strong, &shape.solids, &shape.faces}) {
        EXPECT_EQ(mesh->points.size(), mesh->colours.size());
        for (const Vec3 point : mesh->points)
            EXPECT_LT(length(point), 1.2 * radius);
    }
}

TEST(SchematicShape, OfParallelRaysBeginsAndEndsOutsideTheVolume) {
    ScanGeometry scan = benchScan();
    const GantryAngles angles = scan.cone();
    scan.trajectory = ParallelBeam{angles};
    scan.detector.tiltDeg = 20;
    const VolumeGrid grid = fitGrid(scan);
    const double radius = schematicRadiusMm(scan, grid);
    const SchematicShape shape =
        schematicShape(drawn(scan, schematicScale(scan)), grid, 30, themeFor(ThemeKind::dark));
    for (const ColouredMesh* mesh : {&shape.fine, &shape.strong, &shape.faces})
        for (const Vec3 point : mesh->points)
            EXPECT_LT(length(point), 1.2 * radius);
    const ViewPose pose = drawnPose(scan, 30);
    const Vec3 way = pose.sourceMm - pose.detectorCenterMm;
    const double width = static_cast<double>(scan.detector.columns) * scan.detector.pitchMm[0];
    EXPECT_NEAR(length(way), 2.4 * width, 1e-9);
    EXPECT_NEAR(way.z / length(way), std::sin(radians(20)), 1e-12);
}

// The source's way ends where the scan ends, in its sense.
TEST(SchematicShape, TheOrbitIsWhatTheScanCovers) {
    ScanGeometry scan = benchScan();
    scan.cone().arcDeg = -90;
    const SchematicShape shape = shapeOf(scan);
    const auto strongNear = [&](double gantryDeg) {
        const double angle = radians(gantryDeg);
        const Vec3 at = 600.0 * Vec3{std::sin(angle), -std::cos(angle), 0};
        return std::any_of(shape.strong.points.begin(), shape.strong.points.end(),
                           [at](Vec3 point) { return length(point - at) < 8; });
    };
    for (const double gantryDeg : {-45.0, -88.0})
        EXPECT_TRUE(strongNear(gantryDeg)) << gantryDeg;
    for (const double gantryDeg : {45.0, -135.0, 180.0})
        EXPECT_FALSE(strongNear(gantryDeg)) << gantryDeg;
}

TEST(SchematicShape, CornersAreTheDetectorsOuterEdges) {
    const ScanGeometry scan = benchScan();
    const auto corners = detectorCorners(scan, 0);
    EXPECT_NEAR(length(corners[1] - corners[0]), 256 * 1.6, 1e-9);
    EXPECT_NEAR(corners[3].z, 96 * 1.6, 1e-9);
    EXPECT_LT(corners[0].x, corners[1].x);  // seen from the source u runs right
}

TEST(SchematicShape, RoundLengthsAreOneTwoAndFive) {
    EXPECT_DOUBLE_EQ(roundLength(7), 5);
    EXPECT_DOUBLE_EQ(roundLength(0.21), 0.2);
    EXPECT_DOUBLE_EQ(roundLength(199), 100);
    EXPECT_DOUBLE_EQ(roundLength(0), 1);
    EXPECT_DOUBLE_EQ(roundLength(std::nan("")), 1);
}

}  // namespace
}  // namespace gantry
