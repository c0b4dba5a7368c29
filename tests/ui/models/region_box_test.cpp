#include "ui/models/image/region_box.h"

#include <gtest/gtest.h>

#include <limits>

namespace gantry {
namespace {

// A volume on the screen and a region of other pitch and place.
const VolumeGrid kShown{{101, 64, 33}, {0.5, 0.5, 1.25}, {3, -4, 5}};
const VolumeGrid kRegion{{40, 31, 20}, {0.3, 0.3, 0.9}, {1, -2, 6}};

void expectNear(const RegionBox& a, const RegionBox& b) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(a.lowMm[axis], b.lowMm[axis], 1e-9);
        EXPECT_NEAR(a.highMm[axis], b.highMm[axis], 1e-9);
    }
}

TEST(RegionBox, AVolumesOwnBoxIsTheWholeImage) {
    const RegionBox box = boxOf(kShown);
    EXPECT_DOUBLE_EQ(box.lowMm[0], 3 - 50.5 * 0.5);
    EXPECT_DOUBLE_EQ(box.highMm[2], 5 + 16.5 * 1.25);
    const QRectF whole = rectangleOf(box, planeOf(SliceAxis::y), kShown);
    EXPECT_NEAR(whole.left(), -0.5, 1e-9);
    EXPECT_NEAR(whole.top(), -0.5, 1e-9);
    EXPECT_NEAR(whole.width(), 101, 1e-9);
    EXPECT_NEAR(whole.height(), 33, 1e-9);
}

TEST(RegionBox, ARectangleGivesItsBoxBackInEveryView) {
    const RegionBox box = boxOf(kRegion);
    for (const SliceAxis axis : {SliceAxis::x, SliceAxis::y, SliceAxis::z}) {
        const SlicePlane plane = planeOf(axis);
        expectNear(boxWith(box, rectangleOf(box, plane, kShown), plane, kShown), box);
    }
}

TEST(RegionBox, ADraggedFaceMovesByWholeVoxelsAndTheOthersStay) {
    const SlicePlane plane = planeOf(SliceAxis::z);
    RegionBox box = boxOf(kRegion);
    QRectF rectangle = rectangleOf(box, plane, kShown);
    rectangle.setRight(rectangle.right() - 3.3);  // 1.65 mm: 5.5 voxels
    const VolumeGrid grid = reshaped(kRegion, boxWith(box, rectangle, plane, kShown));
    EXPECT_TRUE(grid.voxels[0] == 34 || grid.voxels[0] == 35);
    EXPECT_EQ(grid.voxels[1], 31);
    EXPECT_EQ(grid.voxels[2], 20);
    EXPECT_EQ(grid.pitchMm, kRegion.pitchMm);
    const RegionBox after = boxOf(grid);
    box.highMm[0] = after.highMm[0];
    expectNear(after, box);
}

TEST(RegionBox, TheLowFaceMovesWhileTheHighOneStays) {
    RegionBox box = boxOf(kRegion);
    box.lowMm[2] += 2 * 0.9 + 0.1;
    const VolumeGrid grid = reshaped(kRegion, box);
    EXPECT_EQ(grid.voxels, (std::array<Index, 3>{40, 31, 18}));
    EXPECT_NEAR(boxOf(grid).highMm[2], boxOf(kRegion).highMm[2], 1e-9);
}

TEST(RegionBox, AShiftedBoxKeepsItsSizeAndMovesByWholeVoxels) {
    const SlicePlane plane = planeOf(SliceAxis::x);
    const RegionBox box = boxOf(kRegion);
    const QRectF moved = rectangleOf(box, plane, kShown).translated(4, -2);  // 2 mm, −2.5 mm
    const VolumeGrid grid = reshaped(kRegion, boxWith(box, moved, plane, kShown));
    EXPECT_EQ(grid.voxels, kRegion.voxels);
    EXPECT_DOUBLE_EQ(grid.centerMm[0], kRegion.centerMm[0]);
    EXPECT_NEAR(grid.centerMm[1], kRegion.centerMm[1] + 7 * 0.3, 1e-9);
    EXPECT_NEAR(grid.centerMm[2], kRegion.centerMm[2] - 3 * 0.9, 1e-9);
}

TEST(RegionBox, WhatWasNotDraggedIsNotChanged) {
    EXPECT_EQ(reshaped(kRegion, boxOf(kRegion)), kRegion);
}

TEST(RegionBox, AtLeastOneVoxelAndAtMostWhatAnyPartTakes) {
    RegionBox flat = boxOf(kRegion);
    flat.highMm[0] = flat.lowMm[0] + 0.001;
    EXPECT_EQ(reshaped(kRegion, flat).voxels[0], 1);
    RegionBox huge = boxOf(kRegion);
    huge.highMm[1] = 1e12;
    EXPECT_EQ(reshaped(kRegion, huge).voxels[1], kMaxVoxels);
}

TEST(RegionBox, WhatIsNoNumberChangesNothing) {
    RegionBox box = boxOf(kRegion);
    box.lowMm[0] = std::numeric_limits<double>::quiet_NaN();
    box.highMm[1] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(reshaped(kRegion, box), kRegion);
}

}  // namespace
}  // namespace gantry
