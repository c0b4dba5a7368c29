#include "core/plan/slabs.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/plan/memory_budget.h"
#include "tests/core/plan/plan_scan.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::scanOf;

TEST(Slabs, CoverEverySliceOnceInOrder) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    const VolumeGrid grid = fitGrid(scan);
    for (const Index most :
         {Index{1}, Index{2}, Index{7}, grid.voxels[2] - 1, grid.voxels[2], Index{10'000}}) {
        const std::vector<SlabPlan> slabs = planSlabs(geometry, grid, most);
        Index next = 0;
        for (const SlabPlan& slab : slabs) {
            EXPECT_EQ(slab.slices.begin, next);
            EXPECT_GE(slab.slices.size(), 1);
            EXPECT_LE(slab.slices.size(), most);
            next = slab.slices.end;
        }
        EXPECT_EQ(next, grid.voxels[2]);
    }
}

TEST(Slabs, ThinSlabsNeedFewerRowsThanTheDetectorHas) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    const VolumeGrid grid = fitGrid(scan);
    for (const SlabPlan& slab : planSlabs(geometry, grid, grid.voxels[2] / 8)) {
        EXPECT_GT(slab.rows.size(), 0);
        EXPECT_LT(slab.rows.size(), 83 / 2);
    }
}

TEST(MemoryBudget, TakesTheFewestSlabsThatFit) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    const VolumeGrid grid = fitGrid(scan);
    const SlabBytes bytes = [](const SlabPlan& slab) {
        return 1000 * slab.slices.size() + 10 * slab.rows.size();
    };
    const Index whole = bytes({{0, grid.voxels[2]}, {0, 83}});
    EXPECT_EQ(fitSlabs(geometry, grid, whole, bytes).size(), 1U);
    for (const Index budget : {whole - 1, whole / 2, whole / 3, Index{3000}}) {
        const auto slabs = fitSlabs(geometry, grid, budget, bytes);
        for (const SlabPlan& slab : slabs)
            EXPECT_LE(bytes(slab), budget);
        EXPECT_GT(slabs.size(), 1U);
    }
}

TEST(MemoryBudget, SaysWhatOneSliceNeedsWhenNothingFits) {
    const ScanGeometry scan = scanOf(97, 83);
    const AlignedViews geometry = alignedViews(scan);
    EXPECT_ERROR((void)fitSlabs(geometry, fitGrid(scan), 1'000'000,
                                [](const SlabPlan&) { return Index{5'000'000}; }),
                 ResourceError, "needs 5.00 MB, and the job may use 1.00 MB");
}

}  // namespace
}  // namespace gantry
