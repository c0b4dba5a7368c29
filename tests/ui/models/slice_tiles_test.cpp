#include "ui/models/image/slice_tiles.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/workspace/small_volume.h"

namespace gantry {
namespace {

float numberOf(Index x, Index y, Index z) {
    return static_cast<float>(x + 1000 * y) + 0.001F * static_cast<float>(z);
}

// A volume of anisotropic voxels off the centre, larger than a tile along x and z.
class SliceTilesTest : public testing::Test {
  protected:
    SliceTilesTest() {
        test::writeVolume(m_folder / "v.mha", m_grid, numberOf);
        m_levels = openVolumeLevels(m_folder / "v.mha");
    }
    [[nodiscard]] const VolumeGrid& level(Index number) const {
        return m_levels->grids()[static_cast<std::size_t>(number)];
    }
    // A part of an axial slice, in voxels of the volume.
    [[nodiscard]] SliceViewport axialViewport(QRectF voxels, Index slice, double pixelMm) const {
        SliceViewport viewport;
        viewport.plane = planeOf(SliceAxis::z);
        viewport.partMm = {
            QPointF(positionMm(m_grid, 0, voxels.left()), positionMm(m_grid, 1, voxels.top())),
            QPointF(positionMm(m_grid, 0, voxels.right()), positionMm(m_grid, 1, voxels.bottom()))};
        viewport.pixelMm = pixelMm;
        viewport.sliceMm = positionMm(m_grid, 2, static_cast<double>(slice));
        viewport.focusMm = {viewport.partMm.right(), viewport.partMm.top(), viewport.sliceMm};
        return viewport;
    }

    test::TemporaryFolder m_folder;
    const VolumeGrid m_grid = {{700, 90, 301}, {0.5, 0.4, 1.5}, {3, -2, 7}};
    std::unique_ptr<VolumeLevels> m_levels;
};

TEST_F(SliceTilesTest, TheLevelFitsThePixelsOfTheScreen) {
    const std::vector<VolumeGrid>& grids = m_levels->grids();
    const auto levelAt = [&](double pixelMm) {
        return levelFor(grids, level(2), axialViewport({0, 0, 10, 10}, 5, pixelMm));
    };
    EXPECT_EQ(levelAt(0.1), 0);
    EXPECT_EQ(levelAt(0.5), 0);
    EXPECT_EQ(levelAt(0.995), 1);  // 1 mm is within the slack
    EXPECT_EQ(levelAt(1.5), 1);
    // What is in memory, 2 mm, is fine enough.
    EXPECT_EQ(levelAt(2.0), std::nullopt);
    EXPECT_EQ(levelAt(40), std::nullopt);
}

TEST_F(SliceTilesTest, TheNearestToWhatIsLookedAtComesFirst) {
    const auto tiles =
        visibleTiles(m_grid, 0, SliceAxis::z, {}, axialViewport({-20, 5, 720, 50}, 41, 0.1));
    ASSERT_EQ(tiles.size(), 3U);
    EXPECT_EQ(tiles[0].column, 2);
    EXPECT_EQ(tiles[1].column, 1);
    EXPECT_EQ(tiles[2].column, 0);
    EXPECT_EQ(tiles[0].slice, 41);
    EXPECT_TRUE(visibleTiles(m_grid, 0, SliceAxis::z, {}, axialViewport({900, 5, 90, 50}, 41, 0.1))
                    .empty());
}

TEST_F(SliceTilesTest, HoldTheVolumesOwnVoxels) {
    const SliceTile axial = {0, SliceAxis::z, {}, 41, 2, 0};
    const GreyImage image = readTile(*m_levels, axial, {});
    EXPECT_EQ(image.columns, 700 - 512);
    EXPECT_EQ(image.rows, 90);
    EXPECT_EQ(image.at(3, 7), numberOf(515, 7, 41));
    const GreyImage sagittal = readTile(*m_levels, {0, SliceAxis::x, {}, 600, 0, 1}, {});
    EXPECT_EQ(sagittal.columns, 90);
    EXPECT_EQ(sagittal.rows, 301 - 256);
    EXPECT_EQ(sagittal.at(12, 4), numberOf(600, 12, 260));
    // Where it lies in a slice of level 1, whose voxels are twice as large.
    const QRectF place = placeOf(m_grid, axial, level(1));
    EXPECT_NEAR(place.left(), 512 / 2.0 - 0.5, 1e-9);
    EXPECT_NEAR(place.width(), (700 - 512) / 2.0, 1e-9);
    EXPECT_NEAR(place.top(), -0.5, 1e-9);
}

TEST_F(SliceTilesTest, OfASlabAreThatOfItsSlices) {
    const Slab slab = {SlabKind::mean, 5 * 1.5};
    const GreyImage image = readTile(*m_levels, {0, SliceAxis::z, slab, 100, 0, 0}, {});
    // Slices 98 to 102; single precision of numbers up to 89255.
    EXPECT_NEAR(image.at(8, 9), numberOf(8, 9, 100), 0.01);
    const GreyImage max =
        readTile(*m_levels, {0, SliceAxis::z, {SlabKind::maximum, 5 * 1.5}, 300, 0, 0}, {});
    EXPECT_EQ(max.at(8, 9), numberOf(8, 9, 300));  // at the volume's end
}

TEST_F(SliceTilesTest, ThoseUsedLeastAreForgotten) {
    const auto tile = [](Index column) { return SliceTile{0, SliceAxis::z, {}, 41, column, 0}; };
    const Index bytes = bytesOf(m_grid, tile(0));
    TileCache cache(2 * bytes);
    cache.add(tile(0), readTile(*m_levels, tile(0), {}));
    cache.add(tile(1), readTile(*m_levels, tile(1), {}));
    EXPECT_TRUE(cache.find(tile(0)));
    cache.add(tile(2), readTile(*m_levels, tile(2), {}));
    EXPECT_TRUE(cache.find(tile(0)));
    EXPECT_FALSE(cache.find(tile(1)));
    EXPECT_TRUE(cache.find(tile(2)));
    EXPECT_LE(cache.bytes(), 2 * bytes);
}

TEST_F(SliceTilesTest, WhatIsCutOffIsNamed) {
    std::filesystem::resize_file(m_folder / "v.mha", 1'000'000);
    EXPECT_ERROR((void)readTile(*m_levels, {0, SliceAxis::z, {}, 290, 0, 0}, {}), InputError,
                 "v.mha");
}

}  // namespace
}  // namespace gantry
