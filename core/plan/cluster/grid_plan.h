#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/plan/cluster/cluster_model.h"
#include "core/plan/performance_model.h"
#include "core/plan/request.h"
#include "core/plan/slabs.h"
#include "core/project/space_part.h"

namespace gantry {

/// What decides how much of a volume a rank gets.
struct RankShare {
    double speed = 1;     ///< voxel updates a second, or any unit common to all ranks; above 0
    Index maxSlices = 1;  ///< max slices of one slab
    Index layer = 1;      ///< slices that its kernel makes at a time; fewer take as long
};

/// The slabs of a job on several ranks, and which rank makes each.
struct RankSlabs {
    std::vector<IndexRanges> slabs;  ///< of the whole volume, lowest first
    std::vector<int> ranks;          ///< [slab]: the rank that makes it

    friend bool operator==(const RankSlabs&, const RankSlabs&) = default;
};

/// Gives every rank a range of slices in proportion to its speed, the lowest to rank 0, and cuts it
/// into nearly equal slabs of at most what the rank holds: into whole layers of the kernels if all
/// finish sooner that way. If there are fewer slices than ranks, the slowest ranks get none. Tests:
/// tests/core/plan/rank_slabs_test.cpp
[[nodiscard]] RankSlabs assignToRanks(Index slices, std::span<const RankShare> shares);

/// Distributes the remaining slabs of an interrupted run: each rank gets slices in proportion to
/// its speed, neighbours together where possible. Finished slabs belong to rank 0.
[[nodiscard]] RankSlabs assignLeftOvers(const FinishedSlabs& finished,
                                        std::span<const RankShare> shares);

/// The plan input of one rank: all slabs of other ranks count as finished.
[[nodiscard]] FinishedSlabs slabsForRank(const RankSlabs& all, const std::set<Index>& done,
                                         int rank);

/// How several ranks make a volume together. All ranks have the same plan; the first one makes it
/// from the facts that each has sent. Rank r is in row r / columns and column r % columns of the
/// grid. A row makes slabs: each of its ranks adds the views of its column to them, and the ranks'
/// sum is the slab.
struct GridPlan {
    RankGrid grid;
    RankSlabs slabs;                ///< RankSlabs::ranks: the row of the grid that makes a slab
    std::vector<IndexRange> views;  ///< [column], of those that the scan uses; none is empty
    Index chunkSlices = 1;          ///< slices of a slab that are summed and stored at a time
    std::string why;                ///< the reason for this grid and this exchange, in a sentence
    std::vector<double> shares{};   ///< [rank] planned shares of the work; they add up to 1
    Index idleRanks = 0;            ///< ranks behind those of the grid, which have nothing to do
    bool moves = false;  ///< slabs that are not begun may move to another row during the run
    /// [rank] Where each filters its views, CPU or GPU, because the two round differently; empty
    /// before the ranks have planned their parts
    std::vector<FilterOn> filterOn{};

    [[nodiscard]] bool isGathered() const {
        return grid.exchange == Exchange::gather && grid.rows > 1;
    }
    friend bool operator==(const GridPlan&, const GridPlan&) = default;
};

/// The part of one rank in it.
struct GridPart {
    GridPlan plan;
    int rank = 0;
    std::set<Index> spare{};         ///< slabs of other rows that may move to this one's
    ExchangeRates exchange{};        ///< of this rank
    std::vector<SpacePart> parts{};  ///< [rank] of an iterative method

    /// Whether the grid leaves this rank out.
    [[nodiscard]] bool isIdle() const { return rank >= plan.grid.ranks(); }
    [[nodiscard]] Index row() const { return rank / plan.grid.columns; }
    [[nodiscard]] Index column() const { return rank % plan.grid.columns; }
    [[nodiscard]] IndexRange views() const { return plan.views[column()]; }
    /// Where this rank filters; automatic: not decided yet.
    [[nodiscard]] FilterOn filterOn() const {
        const auto at = static_cast<std::size_t>(rank);
        return at < plan.filterOn.size() ? plan.filterOn[at] : FilterOn::automatic;
    }
    /// Ranks of the same row in the order of their columns; ranks of the same column.
    [[nodiscard]] std::vector<int> ranksOfRow() const;
    [[nodiscard]] std::vector<int> ranksOfColumn() const;
};

/// The work that is distributed to a grid.
struct GridWork {
    const AlignedViews& aligned;
    const VolumeGrid& grid;
    const std::optional<FinishedSlabs>& finished;  ///< of an interrupted run, whose slabs are kept
};

/// Distributes slices to rows and views to columns in proportion to the speed of their ranks. Where
/// views are gathered, the rows make neighbouring slabs at a time, so that one reading of the views
/// needs few detector rows; otherwise each makes a range of slices.
/// shares: of the ranks, in order; every rank of a row must be able to make its slabs
/// @throws InputError where there are more columns than views, or rows to gather than slices
/// Tests: tests/core/plan/grid_plan_test.cpp
[[nodiscard]] GridPlan assignToGrid(const GridWork& work, const RankGrid& grid,
                                    std::span<const RankShare> shares);

/// "Made by 4 ranks, a grid of 2 × 2, views by gather: …", for log and report. It says how many are
/// left out.
[[nodiscard]] std::string describe(const GridPlan& plan);

/// Whether a stored plan fits these ranks and this work.
[[nodiscard]] bool fits(const GridPlan& plan, const GridWork& work, Index ranks);

/// Marks slabs that are done or that another row makes as finished for this rank.
[[nodiscard]] FinishedSlabs slabsForRank(const GridPart& part, const std::set<Index>& done);

/// The slices that the rank of a column stores of chunk `chunk` of a slab, whose slices are
/// `slices`. Where there are fewer slices than columns, the columns take turns.
[[nodiscard]] IndexRange partOfChunk(IndexRange slices, Index chunk, Index columns, Index column);

/// The part of a batch of views that the rank of a grid row reads and filters for its whole column;
/// it may be empty.
[[nodiscard]] IndexRange partOfBatch(IndexRange views, Index rows, Index row);

}  // namespace gantry
