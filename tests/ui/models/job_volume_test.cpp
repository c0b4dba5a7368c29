#include "ui/models/job/job_volume.h"

#include <gtest/gtest.h>

#include <limits>

namespace gantry {
namespace {

constexpr VolumeGrid kGrid = {{512, 512, 300}, {0.2, 0.2, 0.2}, {1, 2, 3}};

TEST(JobVolume, ABoxIsVoxelsTimesPitch) {
    EXPECT_EQ(boxText(kGrid), "102.4 × 102.4 × 60 mm");
    EXPECT_EQ(volumeBytes(kGrid), 512 * 512 * 300 * 4);
}

TEST(JobVolume, FewerVoxelsFillTheSameBox) {
    const VolumeGrid half = withVoxelsAcross(kGrid, 256);
    EXPECT_EQ(half.voxels, (std::array<Index, 3>{256, 256, 150}));
    EXPECT_DOUBLE_EQ(half.pitchMm[2], 0.4);
    EXPECT_EQ(half.centerMm, kGrid.centerMm);
    // Not a voxel of a coarse grid beyond the box, and never none.
    EXPECT_EQ(withVoxelsAcross(kGrid, 1).voxels, (std::array<Index, 3>{1, 1, 1}));
}

TEST(JobVolume, ACubeHasAsManyVoxelsAlongEveryAxisAndHoldsTheBox) {
    const VolumeGrid tall = {{505, 301, 640}, {0.2, 0.3, 0.25}, {1, 2, 3}};
    const VolumeGrid cube = cubeAround(tall, 512);
    EXPECT_EQ(cube.voxels, (std::array<Index, 3>{512, 512, 512}));
    EXPECT_DOUBLE_EQ(boxMm(cube)[0], 160);
    EXPECT_EQ(cube.pitchMm[0], cube.pitchMm[2]);
    EXPECT_EQ(cube.centerMm, tall.centerMm);
    EXPECT_FALSE(isRegionOf(cube, tall));
    EXPECT_EQ(cubeAround(cube, 512), cube);
}

TEST(JobVolume, ARegionKeepsThePitch) {
    const VolumeGrid region = withBox(kGrid, {20, 30, 1e-9});
    EXPECT_EQ(region.voxels, (std::array<Index, 3>{100, 150, 1}));
    EXPECT_EQ(region.pitchMm, kGrid.pitchMm);
    const double huge = std::numeric_limits<double>::infinity();
    EXPECT_EQ(withBox(kGrid, {huge, -1, std::nan("")}).voxels,
              (std::array<Index, 3>{kMaxVoxels, 1, 1}));
}

TEST(JobVolume, KnowsARegionFromTheWhole) {
    EXPECT_FALSE(isRegionOf(kGrid, kGrid));
    EXPECT_FALSE(isRegionOf(withVoxelsAcross(kGrid, 100), kGrid));
    EXPECT_TRUE(isRegionOf(middleOf(kGrid), kGrid));
    VolumeGrid moved = kGrid;
    moved.centerMm[0] += 10;
    EXPECT_TRUE(isRegionOf(moved, kGrid));
    const VolumeGrid whole = wholeAtPitch(middleOf(kGrid), kGrid);
    EXPECT_EQ(whole, kGrid);
}

TEST(JobVolume, NothingFitsAGeometryWithErrors) {
    EXPECT_FALSE(fittedOrNone({}));
}

}  // namespace
}  // namespace gantry
