#include "core/plan/cluster/grid_plan.h"

#include <gtest/gtest.h>

#include <map>

namespace gantry {
namespace {

std::map<int, Index> slicesOfRanks(const RankSlabs& assigned) {
    std::map<int, Index> slices;
    for (std::size_t i = 0; i < assigned.slabs.size(); ++i)
        slices[assigned.ranks[i]] += assigned.slabs[i].size();
    return slices;
}

void expectStacked(const RankSlabs& assigned, Index slices) {
    Index next = 0;
    for (const IndexRanges& slab : assigned.slabs) {
        EXPECT_EQ(slab.hull().begin, next);
        EXPECT_GT(slab.size(), 0);
        next = slab.hull().end;
    }
    EXPECT_EQ(next, slices);
}

TEST(RankSlabs, FollowSpeedAndMemory) {
    const std::vector<RankShare> shares = {{3, 100}, {1, 7}, {2, 20}};
    const RankSlabs assigned = assignToRanks(97, shares);
    expectStacked(assigned, 97);
    EXPECT_EQ(slicesOfRanks(assigned), (std::map<int, Index>{{0, 49}, {1, 16}, {2, 32}}));
    for (std::size_t i = 0; i < assigned.slabs.size(); ++i)
        EXPECT_LE(assigned.slabs[i].size(),
                  shares[static_cast<std::size_t>(assigned.ranks[i])].maxSlices);
}

TEST(RankSlabs, AreWholeLayersWhereThatIsFaster) {
    // Not 1023 and 1025 slices, which would be ten layers for the second.
    const std::vector<RankShare> alike = {{1, 256, 128}, {1.002, 256, 128}};
    const RankSlabs assigned = assignToRanks(2048, alike);
    expectStacked(assigned, 2048);
    EXPECT_EQ(slicesOfRanks(assigned), (std::map<int, Index>{{0, 1024}, {1, 1024}}));
    for (const IndexRanges& slab : assigned.slabs)
        EXPECT_EQ(slab.size(), 256);
    // The last layer may be thin.
    const RankSlabs odd = assignToRanks(1900, alike);
    expectStacked(odd, 1900);
    EXPECT_EQ(odd.slabs.back().hull().begin % 128, 0);
    // A slow one would have a layer or none.
    const std::vector<RankShare> unlike = {{1, 64, 8}, {0.1, 64, 8}};
    EXPECT_EQ(slicesOfRanks(assignToRanks(44, unlike))[1], 4);
}

TEST(RankSlabs, AreAllThereForAnyNumberOfRanks) {
    for (const std::size_t ranks : {1U, 2U, 3U, 7U, 13U, 64U}) {
        const std::vector<RankShare> shares(ranks, RankShare{1, 5});
        expectStacked(assignToRanks(61, shares), 61);
    }
}

TEST(RankSlabs, LeaveRanksIdleWhereSlicesAreFew) {
    const std::vector<RankShare> shares(5, RankShare{1, 5});
    const RankSlabs assigned = assignToRanks(3, shares);
    expectStacked(assigned, 3);
    EXPECT_EQ(assigned.slabs.size(), 3U);
}

TEST(RankSlabs, LeftOversAreAssignedAnew) {
    FinishedSlabs finished;
    for (Index i = 0; i < 10; ++i)
        finished.slabs.emplace_back(4 * i, 4 * i + 4);
    finished.done = {0, 1, 5};
    const std::vector<RankShare> shares = {{1, 4}, {1, 4}, {1.5, 4}};
    const RankSlabs assigned = assignLeftOvers(finished, shares);
    EXPECT_EQ(assigned.slabs, finished.slabs);
    std::map<int, int> count;
    for (Index i = 0; i < 10; ++i)
        if (!finished.done.contains(i)) ++count[assigned.ranks[static_cast<std::size_t>(i)]];
    EXPECT_EQ(count, (std::map<int, int>{{0, 2}, {1, 2}, {2, 3}}));
    // What rank 1 plans: its own slabs alone are left.
    const FinishedSlabs own = slabsForRank(assigned, finished.done, 1);
    EXPECT_EQ(own.done.size(), 8U);
    for (Index i = 0; i < 10; ++i)
        EXPECT_EQ(own.done.contains(i),
                  finished.done.contains(i) || assigned.ranks[static_cast<std::size_t>(i)] != 1);
}

}  // namespace
}  // namespace gantry
