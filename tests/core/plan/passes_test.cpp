#include "core/plan/passes.h"

#include <gtest/gtest.h>

#include "tests/core/plan/plan_scan.h"

namespace gantry {
namespace {

JobPlan planOf(const std::vector<SlabPlan>& slabs, std::size_t devices) {
    JobPlan plan;
    plan.slabs = slabs;
    plan.devices.resize(devices);
    return plan;
}

std::vector<std::vector<Index>> slabsIn(const std::vector<PassPlan>& passes) {
    std::vector<std::vector<Index>> slabs;
    for (const PassPlan& pass : passes) {
        slabs.emplace_back();
        for (const Assignment& part : pass.assignments)
            slabs.back().push_back(part.slab);
    }
    return slabs;
}

// Pairs from the outside inwards, the middle, and what has no mirror image.
const std::vector<SlabPlan> kPairs = {{{{0, 4}, {26, 30}}, {{0, 10}, {57, 67}}},
                                      {{{4, 8}, {22, 26}}, {{9, 19}, {48, 58}}},
                                      {{{8, 11}, {19, 22}}, {{18, 26}, {41, 49}}},
                                      {{11, 19}, {25, 42}},
                                      {{30, 35}, {60, 67}}};

TEST(Passes, OfSeveralDevicesPairsReadTheLowerRowsAndTheUpperOnes) {
    const Acquisition acquisition = test::acquisitionOf(101, 67);
    const std::vector<PassPlan> passes = passesOf(planOf(kPairs, 3), acquisition, {});
    EXPECT_EQ(slabsIn(passes), (std::vector<std::vector<Index>>{{0, 1, 2}, {3}, {4}}))
        << "what has no mirror image is no neighbour of the middle";
    EXPECT_EQ(passes[0].rows, IndexRanges({0, 26}, {41, 67}));
    EXPECT_EQ(passes[1].rows, IndexRanges(25, 42));
    EXPECT_EQ(passes[2].rows, IndexRanges(60, 67));
    EXPECT_EQ(slabsIn(passesOf(planOf(kPairs, 2), acquisition, {})),
              (std::vector<std::vector<Index>>{{0, 1}, {2, 3}, {4}}));
}

TEST(Passes, ThatGoRoundFinishedPairsReadNoRowTwice) {
    const Acquisition acquisition = test::acquisitionOf(101, 67);
    const std::vector<PassPlan> passes = passesOf(planOf(kPairs, 2), acquisition, {0, 2});
    EXPECT_EQ(slabsIn(passes), (std::vector<std::vector<Index>>{{1}, {3}, {4}}));
    EXPECT_EQ(passes[0].rows, IndexRanges({9, 19}, {48, 58}));
}

TEST(Passes, RowsThatARolledDetectorMakesFromTheSameOnesAreReadTogether) {
    const Acquisition rolled = test::acquisitionOf(101, 67, PixelType::uint16, 9);
    const std::vector<PassPlan> passes = passesOf(planOf(kPairs, 3), rolled, {});
    EXPECT_EQ(passes[0].rows, IndexRanges(0, 67));
}

}  // namespace
}  // namespace gantry
