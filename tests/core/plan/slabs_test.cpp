#include "core/plan/slabs.h"

#include <gtest/gtest.h>

#include "core/geometry/footprint.h"
#include "tests/core/plan/plan_scan.h"

namespace gantry {
namespace {

using test::scanOf;

TEST(Slabs, ThinSlabsNeedFewerRowsThanTheDetectorHas) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    const VolumeGrid grid = fitGrid(scan);
    const Index nZ = grid.voxels[2];
    for (Index i = 0; i < 8; ++i) {
        const SlabPlan slab = slabOf(geometry, grid, IndexRange{i * nZ / 8, (i + 1) * nZ / 8});
        EXPECT_GT(slab.rows.size(), 0);
        EXPECT_LT(slab.rows.size(), 83 / 2);
    }
}

TEST(Slabs, APairNeedsTheRowsOfBothItsRanges) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    const VolumeGrid grid = fitGrid(scan);
    const Index nZ = grid.voxels[2];
    const SlabPlan pair = slabOf(geometry, grid, {{3, 9}, {nZ - 9, nZ - 3}});
    EXPECT_EQ(pair.slices.size(), 12);
    EXPECT_EQ(pair.slices.hull(), (IndexRange{3, nZ - 3}));
    const IndexRange lower = footprintRows(geometry, grid, {3, 9});
    const IndexRange upper = footprintRows(geometry, grid, {nZ - 9, nZ - 3});
    ASSERT_LT(lower.end, upper.begin);
    EXPECT_EQ(pair.rows, IndexRanges(lower, upper));
    // In the middle both halves need the rows about the source's plane.
    const Index half = nZ / 2;
    const SlabPlan middle = slabOf(geometry, grid, {{half - 6, half - 1}, {half + 1, half + 6}});
    EXPECT_EQ(middle.rows, footprintRows(geometry, grid, {half - 6, half + 6}));
}

TEST(Slabs, ThoseThatFillTheirLayersBadlyAreMadeAsSlowlyAsFullOnes) {
    Kernel tile = {"tile"};
    tile.layerSlices = 128;
    VolumeGrid grid;
    grid.voxels = {300, 300, 2048};
    const auto part = [&](const IndexRanges& slices) {
        return partOfSpeed(tile, slices, grid, {});
    };
    EXPECT_DOUBLE_EQ(part({128, 384}), 1);
    EXPECT_DOUBLE_EQ(part({102, 204}), 102.0 / 128);
    EXPECT_DOUBLE_EQ(part({{0, 64}, {1984, 2048}}), 0.5) << "each range has layers of its own";
    // The speed that is known of a volume counts its topmost layer as it is.
    grid.voxels[2] = 192;
    EXPECT_DOUBLE_EQ(128 / part({0, 128}) + 64 / part({128, 192}), 192);
}

}  // namespace
}  // namespace gantry
