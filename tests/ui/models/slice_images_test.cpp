#include "ui/models/image/slice_images.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace gantry {
namespace {

// Odd sizes, another pitch along each axis, off the centre.
const VolumeGrid kSmallGrid{{5, 4, 3}, {0.2, 0.5, 1.5}, {10, -20, 2.5}};

// Each voxel's value is x + 10·y + 100·z.
VoxelData numbered(const VolumeGrid& grid) {
    auto voxels = std::make_shared<std::vector<float>>();
    for (Index z = 0; z < grid.voxels[2]; ++z)
        for (Index y = 0; y < grid.voxels[1]; ++y)
            for (Index x = 0; x < grid.voxels[0]; ++x)
                voxels->push_back(static_cast<float>(x + 10 * y + 100 * z));
    return {grid, voxels, *voxels};
}

TEST(SliceImages, EveryPixelOfASliceIsItsVoxel) {
    const VoxelData data = numbered(kSmallGrid);
    const VoxelIndex voxel = {3, 1, 2};
    for (const SliceAxis axis : {SliceAxis::x, SliceAxis::y, SliceAxis::z}) {
        const SlicePlane plane = planeOf(axis);
        const GreyImage image = sliceImage(data, axis, voxel[plane.normal]);
        ASSERT_EQ(image.columns, kSmallGrid.voxels[plane.across]);
        ASSERT_EQ(image.rows, kSmallGrid.voxels[plane.up]);
        EXPECT_TRUE(image.firstRowIsBottom);
        for (Index row = 0; row < image.rows; ++row) {
            for (Index column = 0; column < image.columns; ++column) {
                VoxelIndex there = voxel;
                there[plane.across] = column;
                there[plane.up] = row;
                EXPECT_EQ(image.at(column, row), data.at(there));
            }
        }
    }
}

TEST(SliceImages, PixelsHaveTheShapeOfVoxels) {
    const VoxelData data = numbered(kSmallGrid);
    EXPECT_DOUBLE_EQ(sliceImage(data, SliceAxis::z, 0).pixelAspect, 0.5 / 0.2);
    EXPECT_DOUBLE_EQ(sliceImage(data, SliceAxis::y, 0).pixelAspect, 1.5 / 0.2);
    EXPECT_DOUBLE_EQ(sliceImage(data, SliceAxis::x, 0).pixelAspect, 1.5 / 0.5);
}

TEST(SliceImages, AnAxialSliceSharesTheVolumesMemoryAndKeepsIt) {
    VoxelData data = numbered(kSmallGrid);
    const float* memory = data.voxels.data();
    const GreyImage image = sliceImage(data, SliceAxis::z, 1);
    data = {};
    EXPECT_EQ(image.pixels.data(), memory + 5 * 4);
    EXPECT_EQ(image.at(0, 0), 100);
}

TEST(SliceImages, IndicesAndMillimetresAgreeWithTheGrid) {
    const Vec3 corner = kSmallGrid.originMm();
    EXPECT_DOUBLE_EQ(positionMm(kSmallGrid, 0, 0), corner.x);
    EXPECT_DOUBLE_EQ(positionMm(kSmallGrid, 1, 0), corner.y);
    EXPECT_DOUBLE_EQ(positionMm(kSmallGrid, 2, 0), corner.z);
    for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(indexAt(kSmallGrid, axis, positionMm(kSmallGrid, axis, 1.75)), 1.75, 1e-12);
}

TEST(SliceImages, TheNearestVoxelIsNeverOutside) {
    EXPECT_EQ(nearestVoxel(kSmallGrid, kSmallGrid.positionMm(3.4, 0.6, 1.9)),
              (VoxelIndex{3, 1, 2}));
    EXPECT_EQ(nearestVoxel(kSmallGrid, {-1e9, 1e9, 2.5}), (VoxelIndex{0, 3, 1}));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(nearestVoxel(kSmallGrid, {nan, infinity, -infinity}), (VoxelIndex{0, 3, 0}));
}

TEST(SliceImages, APixelMovesTheTwoOtherAxesOnly) {
    const VoxelIndex voxel = {1, 2, 0};
    EXPECT_EQ(voxelAt(planeOf(SliceAxis::z), kSmallGrid, voxel, {3.4, 0.4}), (VoxelIndex{3, 0, 0}));
    EXPECT_EQ(voxelAt(planeOf(SliceAxis::y), kSmallGrid, voxel, {3.6, 1.6}), (VoxelIndex{4, 2, 2}));
    EXPECT_EQ(voxelAt(planeOf(SliceAxis::x), kSmallGrid, voxel, {-7, 99}), (VoxelIndex{1, 0, 2}));
    EXPECT_EQ(pixelOf(planeOf(SliceAxis::x), {1, 2, 0}), QPointF(2, 0));
}

TEST(SliceImages, TheCornerTellsNumberAndPlace) {
    EXPECT_EQ(sliceText(kSmallGrid, SliceAxis::z, 0), QStringLiteral("z 0 of 0–2, 1.0 mm"));
    EXPECT_EQ(sliceText(kSmallGrid, SliceAxis::y, 3), QStringLiteral("y 3 of 0–3, −19.3 mm"));
    EXPECT_EQ(positionText(-0.001, 0.2), QStringLiteral("0.0 mm"));
    EXPECT_EQ(positionText(-12.3456, 0.02), QStringLiteral("−12.35 mm"));
}

TEST(SliceImages, SlicesAlongTheMemoryAreQuick) {
    const VolumeGrid usual{{512, 512, 512}, {1, 1, 1}, {}};
    const VolumeGrid large{{2048, 2048, 2049}, {1, 1, 1}, {}};
    EXPECT_FALSE(isSlowSlice(usual, SliceAxis::x));
    EXPECT_TRUE(isSlowSlice(large, SliceAxis::x));
    EXPECT_TRUE(isSlowSlice(large, SliceAxis::y));
    EXPECT_FALSE(isSlowSlice(large, SliceAxis::z));
}

// A cylinder of 0.4 mm about (10, −20) mm.
TEST(SliceImages, TheOutlineOfWhatWasMeasuredIsThatOfACylinder) {
    VoxelData data = numbered(kSmallGrid);
    EXPECT_TRUE(measuredOutline(data, planeOf(SliceAxis::z), 2.5).isEmpty());
    data.measured = FieldOfView{0.4, 0, 9, {10, -20}};
    const QRectF axial = measuredOutline(data, planeOf(SliceAxis::z), 2.5).boundingRect();
    EXPECT_NEAR(axial.left(), 2 - 0.4 / 0.2, 1e-9);
    EXPECT_NEAR(axial.right(), 2 + 0.4 / 0.2, 1e-9);
    EXPECT_NEAR(axial.height(), 2 * 0.4 / 0.5, 1e-9);
    // The sagittal slice at x = 10.24 mm cuts it at y = −20 ± 0.32 mm.
    const QRectF sagittal = measuredOutline(data, planeOf(SliceAxis::x), 10.24).boundingRect();
    EXPECT_NEAR(sagittal.width(), 2 * 0.32 / 0.5, 1e-9);
    EXPECT_NEAR(sagittal.height(), 3, 1e-9);
    EXPECT_TRUE(measuredOutline(data, planeOf(SliceAxis::y), -20.41).isEmpty());
}

}  // namespace
}  // namespace gantry
