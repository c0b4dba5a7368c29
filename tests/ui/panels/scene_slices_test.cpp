#include "ui/panels/volume/scene_slices.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "ui/panels/volume/volume_appearance.h"

namespace gantry {
namespace {

// A voxel's value tells its index, so that a pixel in the scene can be compared with the voxel at
// its place.
TEST(SceneSlices, APixelShowsTheVoxelAtItsPlace) {
    const VolumeGrid grid{{9, 7, 5}, {0.5, 0.8, 1.5}, {2, -1, 4}};
    auto voxels = std::make_shared<std::vector<float>>();
    for (Index i = 0; i < grid.count(); ++i)
        voxels->push_back(static_cast<float>(i * 37 % 251));
    const VoxelData data{grid, voxels, *voxels};
    VolumeAppearance appearance;
    EXPECT_TRUE(slicePictures(data, appearance, {}, {0, 255}).empty());
    appearance.hasSlice = {true, true, true};
    const Vec3 place{2.6, -1.9, 5};
    const std::vector<PlanePicture> pictures = slicePictures(data, appearance, place, {0, 255});
    ASSERT_EQ(pictures.size(), 3U);
    for (const PlanePicture& picture : pictures)
        for (const double across : {0.06, 0.3, 0.94})
            for (const double up : {0.08, 0.5, 0.91}) {
                const Vec3 at = picture.cornerMm + across * picture.alongMm + up * picture.upMm;
                const VoxelIndex voxel = nearestVoxel(grid, at);
                const int column = static_cast<int>(across * picture.image.width());
                const int row = static_cast<int>((1 - up) * picture.image.height());
                EXPECT_NEAR(qRed(picture.image.pixel(column, row)), data.at(voxel), 1.5);
            }
    // The slice goes through the voxel that is nearest to the place.
    EXPECT_NEAR(pictures[2].cornerMm.z, 5.5, 1e-9);
}

TEST(SceneSlices, OfALargeSliceThereIsASmallPicture) {
    const VolumeGrid grid{{1500, 2, 600}, {1, 1, 1}, {0, 0, 0}};
    const std::vector<float> voxels(static_cast<std::size_t>(grid.count()), 1.0F);
    VolumeAppearance appearance;
    appearance.hasSlice[1] = true;
    const auto pictures = slicePictures({grid, nullptr, voxels}, appearance, {}, {0, 2});
    ASSERT_EQ(pictures.size(), 1U);
    EXPECT_EQ(pictures[0].image.width(), 512);
    EXPECT_EQ(length(pictures[0].alongMm), 1500);
}

}  // namespace
}  // namespace gantry
