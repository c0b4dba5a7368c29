#include "core/plan/cluster/grid_plan.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/plan/cluster/rank_facts.h"
#include "core/plan/passes.h"
#include "tests/core/plan/plan_scan.h"

namespace gantry {
namespace {

constexpr VolumeGrid kGrid = {{53, 47, 61}, {0.4, 0.4, 0.4}, {}};

class GridPlanTest : public testing::Test {
  protected:
    [[nodiscard]] GridWork work() const { return {m_scan.geometry, kGrid, m_finished}; }
    [[nodiscard]] GridPlan assign(const RankGrid& grid, Index max = 100) const {
        return assignToGrid(
            work(), grid,
            std::vector<RankShare>(static_cast<std::size_t>(grid.ranks()), RankShare{1, max}));
    }

    const Acquisition m_scan = test::acquisitionOf(101, 67);
    std::optional<FinishedSlabs> m_finished;
};

TEST_F(GridPlanTest, FasterRowsGetMoreSlicesAndFasterColumnsMoreViews) {
    const std::vector<RankShare> shares = {{1, 9}, {3, 9}, {2, 9}, {6, 4}};
    const GridPlan plan = assignToGrid(work(), {2, 2, Exchange::rows}, shares);
    // The columns are 3 and 9 of 12 fast, the rows 4 and 8.
    EXPECT_EQ(plan.views, (std::vector<IndexRange>{{0, 23}, {23, 90}}));
    Index ofFirst = 0;
    for (std::size_t i = 0; i < plan.slabs.slabs.size(); ++i) {
        if (plan.slabs.ranks[i] == 0) ofFirst += plan.slabs.slabs[i].size();
        EXPECT_LE(plan.slabs.slabs[i].size(), plan.slabs.ranks[i] == 0 ? 9 : 4)
            << "each rank of a row makes its slabs";
    }
    EXPECT_EQ(ofFirst, 20);
    EXPECT_TRUE(fits(plan, work(), 4));
    EXPECT_FALSE(fits(plan, work(), 3));
}

TEST_F(GridPlanTest, EachColumnHasAView) {
    std::vector<RankShare> shares(7, {1e-6, 9});
    shares[3].speed = 1e6;
    const GridPlan plan = assignToGrid(work(), {1, 7, Exchange::rows}, shares);
    for (const IndexRange& views : plan.views)
        EXPECT_FALSE(views.empty());
    EXPECT_TRUE(fits(plan, work(), 7));
    EXPECT_THROW((void)assign({1, 91, Exchange::rows}), InputError);
    EXPECT_THROW((void)assign({62, 1, Exchange::gather}), InputError);
}

TEST_F(GridPlanTest, RowsThatGatherMakeWholeLayersWhereThereAreEnough) {
    const std::vector<RankShare> shares = {{1, 17, 8}, {1, 17, 4}};
    const GridPlan plan = assignToGrid(work(), {2, 1, Exchange::gather}, shares);
    std::vector<Index> heights;
    for (const IndexRanges& slices : plan.slabs.slabs)
        heights.push_back(slices.size());
    EXPECT_EQ(heights, (std::vector<Index>{16, 16, 16, 13}));
    EXPECT_TRUE(fits(plan, work(), 2));
}

TEST_F(GridPlanTest, RowsThatGatherMakeNeighboursAtATime) {
    const GridPlan plan = assign({3, 2, Exchange::gather}, 7);
    JobPlan job;
    for (const IndexRanges& slices : plan.slabs.slabs)
        job.slabs.push_back(slabOf(m_scan.geometry, kGrid, slices));
    job.views = plan.views[1];
    const GridPart part = {plan, 3};  // second row, second column
    const std::vector<PassPlan> passes = gatheredPasses(job, part, {});
    ASSERT_EQ(passes.size(), 3U) << "61 slices, 3 · 7 at a time";
    Index read = 0;
    for (const PassPlan& pass : passes) {
        ASSERT_EQ(pass.column.size(), 3U);
        ASSERT_EQ(pass.assignments.size(), 1U);
        EXPECT_EQ(pass.assignments[0].rank, 3);
        EXPECT_EQ(pass.assignments[0].views, (IndexRange{45, 90}));
        EXPECT_EQ(pass.assignments[0].slab, *pass.column[1].slab);
        EXPECT_EQ(pass.rows.hull(), pass.column[1].rows);
        read += pass.loadedRows().size();
    }
    EXPECT_LT(read, 2 * 67) << "a pass reads what it needs";
}

TEST_F(GridPlanTest, ARowMayHaveNothingToMakeAndStillReads) {
    m_finished = FinishedSlabs{{}, {0, 2}};
    for (Index i = 0; i < 5; ++i)
        m_finished->slabs.emplace_back(12 * i, i == 4 ? 61 : 12 * i + 12);
    const GridPlan plan = assign({2, 1, Exchange::gather});
    JobPlan job;
    for (const IndexRanges& slices : plan.slabs.slabs)
        job.slabs.push_back(slabOf(m_scan.geometry, kGrid, slices));
    std::size_t made = 0;
    for (int rank = 0; rank < 2; ++rank) {
        const std::vector<PassPlan> passes = gatheredPasses(job, {plan, rank}, m_finished->done);
        ASSERT_EQ(passes.size(), 2U) << "slab 1 has no neighbour, 3 and 4 are two";
        for (const PassPlan& pass : passes) {
            made += pass.assignments.size();
            EXPECT_FALSE(pass.loadedRows().empty());
        }
    }
    EXPECT_EQ(made, 3U);
}

TEST_F(GridPlanTest, PartsOfChunksTakeTurnsWhereSlicesAreFew) {
    for (const Index columns : {1, 2, 3, 5})
        for (Index chunk = 0; chunk < 6; ++chunk) {
            std::vector<bool> isStored(4);
            for (Index c = 0; c < columns; ++c) {
                const IndexRange part = partOfChunk({10, 14}, chunk, columns, c);
                for (Index z = part.begin; z < part.end; ++z) {
                    EXPECT_FALSE(isStored[static_cast<std::size_t>(z - 10)]);
                    isStored[static_cast<std::size_t>(z - 10)] = true;
                }
            }
            EXPECT_EQ(isStored, std::vector<bool>(4, true));
        }
    Index stored = 0;
    for (Index chunk = 0; chunk < 9; ++chunk)
        stored += partOfChunk({chunk, chunk + 1}, chunk, 3, 1).size();
    EXPECT_EQ(stored, 3) << "of single slices each stores every third";
}

RankFacts someRank() {
    RankFacts rank;
    rank.host = "here";
    rank.share = {1e9, 61};
    rank.chunkSlices = 4;
    rank.minSlices = 8;
    rank.loadBytes = 1e9;
    rank.filterPixels = 1e8;
    rank.storeBytes = 1e9;
    rank.exchange = {1e9, 1e9};
    return rank;
}

class GridChoice : public GridPlanTest {
  protected:
    [[nodiscard]] GridPlan plan(std::size_t count, const RankFacts& rank,
                                const GridWishes& wishes = {},
                                const std::string& weights = "measured") const {
        const std::vector<RankFacts> ranks(count, rank);
        return planGrid(work(), {m_scan.geometry, kGrid, 2, 4}, ranks, wishes,
                        parseRankWeights(weights));
    }
};

TEST_F(GridChoice, KeepsRanksApartWhereNothingIsGained) {
    const GridPlan chosen = plan(4, someRank());
    EXPECT_EQ(chosen.grid, (RankGrid{4, 1, Exchange::rows}));
    EXPECT_EQ(chosen.chunkSlices, 4);
    EXPECT_NE(chosen.why.find("predicted to take"), std::string::npos) << chosen.why;
}

TEST_F(GridChoice, SharesViewsWhereFilteringBounds) {
    RankFacts rank = someRank();
    rank.filterPixels = 1e5;
    rank.share.speed = 1e12;
    const GridPlan chosen = plan(4, rank);
    // Thin slabs filter many of their rows twice; columns filter each row once.
    EXPECT_TRUE(chosen.grid.columns == 4 || chosen.grid.exchange == Exchange::gather);
    EXPECT_NE(chosen.why.find("predicted"), std::string::npos);
}

TEST_F(GridChoice, DoesAsWished) {
    for (const Exchange exchange : {Exchange::gather, Exchange::rows})
        EXPECT_EQ(plan(6, someRank(), {exchange, 2}).grid, (RankGrid{2, 3, exchange}));
    EXPECT_EQ(plan(6, someRank(), {Exchange::gather, 1}).grid, (RankGrid{1, 6, Exchange::rows}))
        << "one row has nothing to gather";
    EXPECT_THROW((void)plan(6, someRank(), {std::nullopt, 4}), InputError);
}

TEST_F(GridChoice, CutsSlabsThatCanMoveWhereThatCostsLittle) {
    RankFacts rank = someRank();
    rank.share.speed = 1e6;
    const GridPlan thin = plan(2, rank);
    EXPECT_TRUE(thin.moves);
    EXPECT_EQ(thin.shares, (std::vector<double>{0.5, 0.5}));
    EXPECT_EQ(thin.slabs.slabs.size(), 8U) << "30 and 31 slices, 8 at most";
    // Filtering the rows that neighbours share again would take as long as back-projection.
    rank.filterPixels = 1e5;
    EXPECT_LT(plan(2, rank, {Exchange::rows, 2}).slabs.slabs.size(), 8U);
    rank = someRank();
    rank.share.speed = 1e6;
    rank.minSlices = 256;
    EXPECT_EQ(plan(2, rank).slabs.slabs.size(), 2U) << "the kernel is slow on fewer";
    rank.minSlices = 8;
    rank.columnSlices = 30;
    EXPECT_EQ(plan(2, rank, {Exchange::rows, 2}).slabs.slabs.size(), 2U)
        << "each column costs as much as 30 slices";
}

TEST_F(GridChoice, SlabsStayWhereTheyAreUnlessSpeedIsMeasured) {
    RankFacts rank = someRank();
    rank.share.speed = 1e6;
    for (const char* weights : {"uniform", "3,1", "log"}) {
        const GridPlan kept = plan(2, rank, {Exchange::rows, 2}, weights);
        EXPECT_FALSE(kept.moves);
        EXPECT_EQ(kept.slabs.slabs.size(), 2U);
    }
    EXPECT_EQ(plan(2, rank, {Exchange::rows, 2}, "3,1").slabs.slabs[0], IndexRanges(0, 46));
    EXPECT_FALSE(plan(4, rank, {Exchange::gather, 2}).moves);
    EXPECT_FALSE(plan(2, rank, {Exchange::rows, 1}).moves) << "there is one row";
}

// 79 ranks could only be one row that sums all slabs, as there are 61 slices.
TEST_F(GridChoice, LeavesOutARankWhereFewerAreFaster) {
    const GridPlan chosen = plan(79, someRank());
    EXPECT_EQ(chosen.grid, (RankGrid{13, 6, Exchange::rows}));
    EXPECT_EQ(chosen.idleRanks, 1);
    EXPECT_EQ(chosen.shares.size(), 78U);
    EXPECT_NE(
        describe(chosen).find("Made by 78 ranks of 79, as no grid of all is faster, a grid of"),
        std::string::npos)
        << describe(chosen);
    EXPECT_TRUE(fits(chosen, work(), 79));
    EXPECT_FALSE(fits(chosen, work(), 78)) << "those could be another grid";
    for (const int number : {0, 77, 78})
        EXPECT_EQ((GridPart{chosen, number}.isIdle()), number == 78);
    EXPECT_EQ(plan(79, someRank(), {std::nullopt, 1}).grid, (RankGrid{1, 79, Exchange::rows}))
        << "as wished";
}

TEST_F(GridChoice, SaysWhyItCannotChoose) {
    RankFacts rank = someRank();
    rank.exchange = {};
    EXPECT_EQ(plan(3, rank).grid, (RankGrid{3, 1, Exchange::rows}));
    EXPECT_NE(plan(3, rank).why.find("one thread at a time"), std::string::npos);
    rank = someRank();
    rank.filterPixels = 0;
    EXPECT_EQ(plan(3, rank).grid, (RankGrid{3, 1, Exchange::rows}));
}

}  // namespace
}  // namespace gantry
