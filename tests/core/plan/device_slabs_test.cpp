#include "core/plan/device_slabs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "core/geometry/footprint.h"
#include "tests/core/plan/plan_scan.h"

namespace gantry {
namespace {

using test::scanOf;

constexpr Index kTileSlices = 128;

TEST(DeviceSlabs, CoverEverySliceOnceAndKeepToWhatDevicesHold) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    VolumeGrid grid = fitGrid(scan);
    std::mt19937 random(7);
    int assigned = 0;
    for (int round = 0; round < 300; ++round) {
        grid.voxels[2] = 1 + static_cast<Index>(random() % 130);
        std::vector<DeviceShare> shares(1 + random() % 5);
        for (DeviceShare& share : shares)
            share = {0.1 + static_cast<double>(random() % 100),
                     1 + static_cast<Index>(random() % 60)};
        const Index passes = 1 + static_cast<Index>(random() % 9);
        const Index layer = 1 + static_cast<Index>(random() % 3) * 7;
        const std::vector<SlabPlan> slabs = assignSlabs(geometry, grid, shares, passes, layer);
        if (slabs.empty()) continue;
        ++assigned;
        Index next = 0;
        for (std::size_t i = 0; i < slabs.size(); ++i) {
            const IndexRange slices = slabs[i].slices.hull();
            EXPECT_EQ(slices.begin, next);
            EXPECT_GE(slices.size(), 1);
            EXPECT_LE(slices.size(), shares[i % shares.size()].maxSlices);
            EXPECT_EQ(slabs[i].rows, footprintRows(geometry, grid, slices));
            next = slices.end;
        }
        EXPECT_EQ(next, grid.voxels[2]);
        EXPECT_EQ((slabs.size() + shares.size() - 1) / shares.size(),
                  static_cast<std::size_t>(passes));
    }
    EXPECT_GT(assigned, 100);
}

TEST(DeviceSlabs, ThereIsAlwaysAWayThatTakesOneSliceEach) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    VolumeGrid grid = fitGrid(scan);
    for (const Index nZ : {1, 2, 7, 68, 69})
        for (const Index devices : {1, 2, 3}) {
            grid.voxels[2] = nZ;
            const std::vector<DeviceShare> shares(static_cast<std::size_t>(devices), {1, 1});
            const Index max = (nZ + devices - 1) / devices;
            EXPECT_EQ(assignSlabs(geometry, grid, shares, max, kTileSlices).size(),
                      static_cast<std::size_t>(nZ));
            EXPECT_TRUE(assignSlabs(geometry, grid, shares, max + 1, 1).empty());
        }
}

TEST(DeviceSlabs, FindsTheThickestThatFits) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    const VolumeGrid grid = fitGrid(scan);
    const auto slabOf = [&](Index max) {
        return maxSlicesThatFit(geometry, grid, [&](Index slices, Index) { return slices <= max; });
    };
    EXPECT_EQ(slabOf(0), 0);
    EXPECT_EQ(slabOf(1), 1);
    EXPECT_EQ(slabOf(17), 17);
    EXPECT_EQ(slabOf(100'000), grid.voxels[2]);
    // Slabs at the end of the volume need more rows than one in its middle.
    const Index middle = grid.voxels[2] / 2;
    const Index rows = footprintRows(geometry, grid, {middle - 5, middle + 5}).size();
    EXPECT_LT(maxSlicesThatFit(geometry, grid, [&](Index, Index r) { return r <= rows; }), 10);
}

TEST(DeviceSlabs, OnlyLargeVolumesAreMadeInPasses) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    VolumeGrid grid = fitGrid(scan, 256);
    EXPECT_EQ(passesToOverlap(geometry, grid, 1), 1);
    grid = fitGrid(scan, 2048);
    EXPECT_GE(passesToOverlap(geometry, grid, 1), 4);
    EXPECT_LE(passesToOverlap(geometry, grid, 1), 16);
    EXPECT_LE(passesToOverlap(geometry, grid, 64), 2);
}

TEST(DeviceSlabs, AreWholeTilesHighWhereThereAreEnough) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    VolumeGrid grid = fitGrid(scan, 64);
    // A hundredth faster must not cost a second tile that is nearly empty.
    const std::vector<DeviceShare> shares = {{1.0, 2000}, {1.01, 2000}, {0.99, 2000}};
    for (const Index nZ : {Index{2000}, 12 * kTileSlices}) {  // some to spare, and just enough
        grid.voxels[2] = nZ;
        const std::vector<SlabPlan> slabs = assignSlabs(geometry, grid, shares, 4, kTileSlices);
        ASSERT_EQ(slabs.size(), 12U);
        EXPECT_EQ(slabs.back().slices.hull().end, nZ);
        for (const SlabPlan& slab : slabs)
            EXPECT_EQ(slab.slices.hull().begin % 128, 0);
    }
}

// What the last pass makes is copied and stored when nothing is left to add.
TEST(DeviceSlabs, ThinnerPassesComeLast) {
    const ScanGeometry scan = scanOf(97, 83);
    VolumeGrid grid = fitGrid(scan, 64);
    grid.voxels[2] = 16 * kTileSlices;
    const DeviceShare one = {1, 2 * grid.voxels[2]};
    std::vector<Index> tiles;
    for (const SlabPlan& slab : assignSlabs(alignedViews(scan), grid, {&one, 1}, 6, kTileSlices))
        tiles.push_back(slab.slices.size() / kTileSlices);
    EXPECT_EQ(tiles, (std::vector<Index>{3, 3, 3, 3, 3, 1}));
}

// Storing, where it bounds the whole, waits for the first pass.
TEST(DeviceSlabs, TheFirstPassIsThinOnRequest) {
    const ScanGeometry scan = scanOf(97, 83);
    VolumeGrid grid = fitGrid(scan, 64);
    grid.voxels[2] = 16 * kTileSlices;
    const auto tilesOf = [&](std::vector<DeviceShare> shares, Index passes) {
        for (DeviceShare& share : shares)
            share.maxSlices = 2 * grid.voxels[2];
        std::vector<Index> tiles;
        for (const SlabPlan& slab :
             assignSlabs(alignedViews(scan), grid, shares, passes, kTileSlices, FirstPass::thin))
            tiles.push_back(slab.slices.size() / kTileSlices);
        return tiles;
    };
    EXPECT_EQ(tilesOf({{1, 0}}, 6), (std::vector<Index>{1, 4, 4, 3, 3, 1}));
    EXPECT_EQ(tilesOf({{1, 0}, {1, 0}}, 4), (std::vector<Index>{1, 1, 3, 3, 3, 3, 1, 1}));
    EXPECT_EQ(tilesOf({{1, 0}}, 3), (std::vector<Index>{1, 14, 1}));
    // Two passes stay alike, and more than the devices share well are one slice a device.
    EXPECT_EQ(tilesOf({{1, 0}}, 1), std::vector<Index>{16});
}

// A pass takes as long as the device that is last.
TEST(DeviceSlabs, DevicesHaveTilesInProportionToTheirSpeedInEveryPass) {
    const ScanGeometry scan = scanOf(97, 83);
    VolumeGrid grid = fitGrid(scan, 64);
    const auto secondsOf = [&](std::vector<DeviceShare> shares, Index tiles, Index passes) {
        grid.voxels[2] = tiles * kTileSlices;
        for (DeviceShare& share : shares)
            share.maxSlices = 2 * grid.voxels[2];
        const std::vector<SlabPlan> slabs =
            assignSlabs(alignedViews(scan), grid, shares, passes, kTileSlices);
        EXPECT_EQ(slabs.size(), static_cast<std::size_t>(passes) * shares.size());
        std::vector<double> ofPass(static_cast<std::size_t>(passes));
        for (std::size_t i = 0; i < slabs.size(); ++i) {
            double& seconds = ofPass[i / shares.size()];
            const auto high = static_cast<double>(slabs[i].slices.size() / kTileSlices);
            seconds = std::max(seconds, high / shares[i % shares.size()].speed);
        }
        return std::reduce(ofPass.begin(), ofPass.end());
    };
    // Nobody waits for another one.
    EXPECT_EQ(secondsOf({{1, 0}, {1, 0}}, 16, 6), 8);
    EXPECT_EQ(secondsOf({{1, 0}, {1, 0}, {1, 0}, {1, 0}}, 32, 6), 8);
    EXPECT_EQ(secondsOf({{1, 0}, {2, 0}}, 18, 4), 6);
    EXPECT_NEAR(secondsOf({{1, 0}, {1.001, 0}}, 16, 6), 8, 0.01);
    // What does not come out even costs a tile, once.
    EXPECT_EQ(secondsOf({{1, 0}, {1, 0}}, 17, 6), 9);
    EXPECT_EQ(secondsOf({{1, 0}, {1, 0}, {1, 0}}, 16, 4), 6);
}

TEST(DeviceSlabs, ADeviceThatHoldsNoWholeTileTakesWhatItCan) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    VolumeGrid grid = fitGrid(scan, 64);
    grid.voxels[2] = 500;
    const std::vector<DeviceShare> shares = {{1, 60}, {1, 2000}};
    const std::vector<SlabPlan> slabs = assignSlabs(geometry, grid, shares, 1, kTileSlices);
    ASSERT_EQ(slabs.size(), 2U);
    EXPECT_EQ(slabs[0].slices, (IndexRange{0, 60}));
    EXPECT_EQ(slabs[1].slices, (IndexRange{60, 500}));
    EXPECT_TRUE(
        assignSlabs(geometry, grid, std::vector<DeviceShare>{{1, 0}, {1, 2000}}, 1, 1).empty());
}

}  // namespace
}  // namespace gantry
