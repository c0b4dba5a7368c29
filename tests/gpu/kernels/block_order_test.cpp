#include "gpu/kernels/tile/block_order.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <tuple>

namespace gantry::gpu {
namespace {

class BlockOrder : public testing::TestWithParam<BlockCounts> {};

TEST_P(BlockOrder, TakesEachBlockOnceAndNeighboursTogether) {
    const BlockCounts counts = GetParam();
    std::set<std::tuple<int, int, int>> seen;
    BlockPlace first{};
    for (int number = 0; number < counts.all(); ++number) {
        const BlockPlace place = blockAt(counts, number);
        EXPECT_GE(place.x, 0);
        EXPECT_GE(place.y, 0);
        EXPECT_GE(place.z, 0);
        EXPECT_LT(place.x, counts.x);
        EXPECT_LT(place.y, counts.y);
        EXPECT_LT(place.z, counts.z);
        EXPECT_TRUE(seen.insert({place.x, place.y, place.z}).second) << "block " << number;
        // Until a group is done, all blocks are in its columns.
        if (place.z == 0 && place.x % kGroup == 0 && place.y % kGroup == 0) first = place;
        EXPECT_LT(std::abs(place.x - first.x), kGroup);
        EXPECT_LT(std::abs(place.y - first.y), kGroup);
    }
}

INSTANTIATE_TEST_SUITE_P(All, BlockOrder,
                         testing::Values(BlockCounts{1, 1, 1}, BlockCounts{8, 8, 3},
                                         BlockCounts{13, 7, 2}, BlockCounts{3, 21, 5},
                                         BlockCounts{35, 19, 4}, BlockCounts{32, 16, 2},
                                         BlockCounts{2, 50, 33}));

}  // namespace
}  // namespace gantry::gpu
