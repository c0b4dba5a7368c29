#include <gtest/gtest.h>

#include <random>

#include "core/geometry/views/mirror.h"
#include "core/plan/device_slabs.h"
#include "tests/core/plan/plan_scan.h"

namespace gantry {
namespace {

// Volumes whose slices k and mirror − k mirror each other.
class DevicePairs : public testing::Test {
  protected:
    // nZ slices, the middle of which lies so many half slices below the source's plane.
    void see(Index nZ, Index halves) {
        m_grid.voxels[2] = nZ;
        m_grid.centerMm[2] = -0.5 * static_cast<double>(halves) * m_grid.pitchMm[2];
        m_mirror = mirroredSlices(m_geometry, m_grid).value();
        ASSERT_EQ(m_mirror, nZ - 1 + halves);
    }
    [[nodiscard]] std::vector<SlabPlan> assigned(const std::vector<DeviceShare>& shares,
                                                 Index passes, Index layer = 1) const {
        return assignPairs(m_geometry, m_grid, m_mirror, shares, passes, layer);
    }
    // Every slice once; whatever has its mirror image in the volume is made together with it.
    void expectWhole(const std::vector<SlabPlan>& slabs) const {
        std::vector<int> made(static_cast<std::size_t>(m_grid.voxels[2]));
        const IndexRange mirrored = mirroredRange(m_grid, m_mirror);
        bool isRest = false;
        for (const SlabPlan& slab : slabs) {
            for (const IndexRange& part : slab.slices.parts())
                for (Index z = part.begin; z < part.end; ++z)
                    ++made[static_cast<std::size_t>(z)];
            const bool isMirrored = isOwnMirror(slab.slices, m_mirror);
            EXPECT_EQ(isMirrored, mirrored.contains(slab.slices.hull().begin));
            EXPECT_FALSE(isRest && isMirrored) << "what has no mirror image comes last";
            isRest = !isMirrored;
            EXPECT_EQ(slab.rows, slabOf(m_geometry, m_grid, slab.slices).rows);
        }
        EXPECT_EQ(made, std::vector<int>(made.size(), 1));
    }

    const AlignedViews m_geometry = alignedViews(test::scanOf(97, 83));
    VolumeGrid m_grid = fitGrid(test::scanOf(97, 83));
    Index m_mirror = 0;
};

TEST_F(DevicePairs, CoverEverySliceOnceAndKeepToWhatDevicesHold) {
    std::mt19937 random(5);
    int found = 0;
    for (int round = 0; round < 400; ++round) {
        const Index nZ = 1 + static_cast<Index>(random() % 130);
        see(nZ, static_cast<Index>(random() % static_cast<unsigned>(2 * nZ - 1)) - (nZ - 1));
        std::vector<DeviceShare> shares(1 + random() % 5);
        for (DeviceShare& share : shares)
            share = {0.1 + static_cast<double>(random() % 100),
                     2 + static_cast<Index>(random() % 60)};
        const Index passes = 1 + static_cast<Index>(random() % 9);
        const std::vector<SlabPlan> slabs =
            assigned(shares, passes, 1 + static_cast<Index>(random() % 3) * 4);
        if (slabs.empty()) continue;
        ++found;
        expectWhole(slabs);
        std::size_t device = 0;
        for (std::size_t i = 0; i < slabs.size(); ++i) {
            // What has no mirror image begins with the first device again.
            if (i > 0 && isOwnMirror(slabs[i - 1].slices, m_mirror) !=
                             isOwnMirror(slabs[i].slices, m_mirror))
                device = 0;
            EXPECT_LE(slabs[i].slices.size(), shares[device].maxSlices);
            device = (device + 1) % shares.size();
        }
    }
    EXPECT_GT(found, 150);
}

TEST_F(DevicePairs, ComeFromTheOutsideInwards) {
    see(41, 0);
    const std::vector<SlabPlan> slabs = assigned({{1, 100}, {2, 100}}, 2);
    ASSERT_EQ(slabs.size(), 4U);
    EXPECT_EQ(slabs[0].slices, IndexRanges({0, 4}, {37, 41}));
    EXPECT_EQ(slabs[1].slices, IndexRanges({4, 11}, {30, 37}));
    EXPECT_EQ(slabs[2].slices, IndexRanges({11, 14}, {27, 30}));
    EXPECT_EQ(slabs[3].slices, IndexRanges(14, 27)) << "both sides meet in the middle";
    EXPECT_EQ(slabs[0].rows.parts().size(), 2U);
}

TEST_F(DevicePairs, WhatHasNoMirrorImageIsPlainOnEitherSide) {
    see(40, 20);  // the source's plane passes through the upper part
    const std::vector<SlabPlan> below = assigned({{1, 100}}, 2);
    ASSERT_EQ(below.size(), 4U);
    EXPECT_EQ(below[0].slices, IndexRanges({20, 25}, {35, 40}));
    EXPECT_EQ(below[1].slices, IndexRanges(25, 35));
    EXPECT_EQ(below[2].slices, IndexRanges(0, 10));
    EXPECT_EQ(below[3].slices, IndexRanges(10, 20)) << "no thicker than the pairs";
    see(40, -20);
    const std::vector<SlabPlan> above = assigned({{1, 100}}, 1);
    ASSERT_EQ(above.size(), 2U);
    EXPECT_EQ(above[0].slices, IndexRanges(0, 20));
    EXPECT_EQ(above[1].slices, IndexRanges(20, 40));
}

TEST_F(DevicePairs, HaveWholeLayersOnEitherSideWhereThereAreEnough) {
    see(210, 0);
    for (const SlabPlan& slab : assigned({{1, 500}, {1.1, 500}}, 3, 16))
        EXPECT_EQ(slab.slices.hull().begin % 16, 0);
    // A device that holds no two layers takes what it can.
    const std::vector<SlabPlan> tight = assigned({{1, 30}}, 7, 16);
    ASSERT_EQ(tight.size(), 7U);
    expectWhole(tight);
}

TEST_F(DevicePairs, TheThickestThatFitsHoldsBothParts) {
    see(70, 0);
    const auto thickest = [&](Index max) {
        return maxPairedSlicesThatFit(m_geometry, m_grid, m_mirror,
                                      [&](Index slices, Index) { return slices <= max; });
    };
    EXPECT_EQ(thickest(1), 0) << "a pair has two slices";
    EXPECT_EQ(thickest(17), 16);
    EXPECT_EQ(thickest(1000), 70);
    // Both parts' rows count.
    const Index ofOuter = slabOf(m_geometry, m_grid, {{0, 5}, {65, 70}}).rows.size();
    const auto byRows = [&](Index max) {
        return maxPairedSlicesThatFit(m_geometry, m_grid, m_mirror,
                                      [&](Index, Index rows) { return rows <= max; });
    };
    EXPECT_GE(byRows(ofOuter), 10);
    EXPECT_LT(byRows(ofOuter - 2), 10);
    EXPECT_TRUE(assigned({{1, 1}}, 1).empty());
    EXPECT_EQ(maxPasses(m_grid, 2, m_mirror), 18);
    EXPECT_EQ(maxPasses(m_grid, 2), 35);
}

TEST_F(DevicePairs, LargeVolumesAreMadeInPasses) {
    m_grid = fitGrid(test::scanOf(97, 83), 2048);
    const Index mirror = mirroredSlices(m_geometry, m_grid).value();
    const Index passes = passesToOverlap(m_geometry, m_grid, 1, mirror);
    EXPECT_GE(passes, 2);
    EXPECT_LE(passes, passesToOverlap(m_geometry, m_grid, 1)) << "pairs share more rows";
}

}  // namespace
}  // namespace gantry
