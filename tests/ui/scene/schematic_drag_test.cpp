#include "ui/scene/schematic/schematic_drag.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ui/scene/scene_fixtures.h"

namespace gantry {
namespace {

constexpr QSizeF kDraggedView(400, 300);

OrbitCamera overview() {
    OrbitCamera camera;
    camera.radiusMm = 500;
    camera.azimuthDeg = -58;
    camera.elevationDeg = 28;
    return camera;
}

const VolumeGrid kDraggedGrid{{100, 80, 60}, {1, 1, 2}, {5, 0, -3}};

ViewRay viewRayTo(const OrbitCamera& camera, Vec3 position) {
    return camera.viewRay(camera.viewPoint(position, kDraggedView), kDraggedView);
}

SchematicHandle handle(SchematicHandle::Kind kind, int axis, int side) {
    const auto handles = schematicHandles(test::benchScan(), kDraggedGrid, 0, overview());
    const auto found = std::find_if(handles.begin(), handles.end(), [&](const auto& each) {
        return each.isSame({kind, axis, side, {}});
    });
    EXPECT_NE(found, handles.end());
    return *found;
}

TEST(SchematicDrag, AFaceFollowsThePointerAndTheOneOppositeStays) {
    const OrbitCamera camera = overview();
    const SchematicHandle face = handle(SchematicHandle::Kind::face, 2, 1);
    EXPECT_EQ(face.positionMm, (Vec3{5, 0, 57}));
    const VolumeGrid grid = withFaceDragged(kDraggedGrid, face, viewRayTo(camera, face.positionMm),
                                            viewRayTo(camera, face.positionMm + Vec3{0, 0, 20}));
    EXPECT_EQ(grid.voxels, (std::array<Index, 3>{100, 80, 70}));
    EXPECT_EQ(grid.pitchMm, kDraggedGrid.pitchMm);
    EXPECT_NEAR(grid.centerMm[2], 7, 1e-9);
    EXPECT_NEAR(grid.centerMm[2] - 70, kDraggedGrid.centerMm[2] - 60, 1e-9);  // the lower face
    EXPECT_EQ(grid.centerMm[0], kDraggedGrid.centerMm[0]);
}

TEST(SchematicDrag, ALowerFaceGrowsDownwards) {
    const OrbitCamera camera = overview();
    const SchematicHandle face = handle(SchematicHandle::Kind::face, 0, -1);
    const VolumeGrid grid = withFaceDragged(kDraggedGrid, face, viewRayTo(camera, face.positionMm),
                                            viewRayTo(camera, face.positionMm - Vec3{12, 0, 0}));
    EXPECT_EQ(grid.voxels[0], 112);
    EXPECT_NEAR(grid.centerMm[0], -1, 1e-9);
}

TEST(SchematicDrag, AtLeastOneVoxelAndAtMostWhatIsAllowedStays) {
    const OrbitCamera camera = overview();
    const SchematicHandle face = handle(SchematicHandle::Kind::face, 2, 1);
    const ViewRay from = viewRayTo(camera, face.positionMm);
    const auto dragged = [&](double mm) {
        const ViewRay to{face.positionMm + Vec3{0, 0, mm} - 10 * from.direction, from.direction};
        return withFaceDragged(kDraggedGrid, face, from, to).voxels[2];
    };
    EXPECT_EQ(dragged(-500), 1);
    EXPECT_EQ(dragged(1e9), kMaxVoxels);
}

TEST(SchematicDrag, WhatIsSeenHeadOnCannotBeDragged) {
    OrbitCamera camera = overview();
    camera.azimuthDeg = 0;
    camera.elevationDeg = 90;
    const auto handles = schematicHandles(test::benchScan(), kDraggedGrid, 0, camera);
    for (const SchematicHandle& each : handles)
        EXPECT_TRUE(each.kind == SchematicHandle::Kind::detector || each.axis != 2);
    EXPECT_EQ(handles.size(), 5U);
}

// Along the direction that is seen: from above along u, from beside along v.
TEST(SchematicDrag, ADetectorSeenEdgeOnMovesAlongOneDirection) {
    OrbitCamera camera = overview();
    const auto shiftTo = [&](Vec3 away) {
        const auto handles = schematicHandles(test::benchScan(), kDraggedGrid, 0, camera);
        const SchematicHandle& detector = handles.back();
        EXPECT_EQ(detector.kind, SchematicHandle::Kind::detector);
        return *detectorShift(test::benchScan(), 0, detector,
                              viewRayTo(camera, detector.positionMm),
                              viewRayTo(camera, detector.positionMm + away));
    };
    camera.azimuthDeg = 0;
    camera.elevationDeg = 90;
    EXPECT_NEAR(shiftTo({25, 0, 0}).x(), 25, 1e-6);
    EXPECT_EQ(shiftTo({25, 0, 30}).y(), 0);
    camera.azimuthDeg = 90;
    camera.elevationDeg = 0;
    EXPECT_NEAR(shiftTo({0, 0, -17}).y(), -17, 1e-6);
    EXPECT_EQ(shiftTo({5, 0, -17}).x(), 0);
}

TEST(SchematicDrag, TheDetectorMovesInItsOwnPlane) {
    ScanGeometry scan = test::benchScan();
    scan.detector.offsetMm = {4, 0};
    const Index view = 33;
    const OrbitCamera camera = overview();
    const Vec3 centre = viewPose(scan, view).detectorCenterMm;
    ScanGeometry moved = scan;
    moved.detector.offsetMm = {30, -12};
    const SchematicHandle handle{SchematicHandle::Kind::detector, 0, 0, centre};
    const auto shift = detectorShift(scan, view, handle, viewRayTo(camera, centre),
                                     viewRayTo(camera, viewPose(moved, view).detectorCenterMm));
    ASSERT_TRUE(shift);
    EXPECT_NEAR(shift->x(), 26, 1e-6);
    EXPECT_NEAR(shift->y(), -12, 1e-6);
    // Away from its plane nothing is meant.
    const ViewRay away{{0, 0, 0}, {0, 0, 1}};
    EXPECT_FALSE(detectorShift(scan, view, handle, away, away));
}

}  // namespace
}  // namespace gantry
