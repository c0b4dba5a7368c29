#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/cluster/rank_watch.h"
#include "core/job/grid_plan_json.h"
#include "core/plan/cluster/pass_scheduler.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// Rank 0's record of what the ranks of a grid make, while passes move between rows.
/// Tests: tests/core/work/rank_balancer_test.cpp
class AssignedGrid {
  public:
    /// plans: [rank], with the passes that are not finished; slabs: of the whole volume
    AssignedGrid(GridPlan grid, const std::vector<SlabPlan>& slabs,
                 const std::vector<RankPlan>& plans, Index batchesPerPass);

    [[nodiscard]] PassScheduler::Run run() const { return m_run; }
    [[nodiscard]] const GridPlan& grid() const { return m_grid; }
    [[nodiscard]] const GridPart part(int rank) const { return {m_grid, rank}; }

    /// Updates the grid's assignment of slabs and the ranks' plans after passes have moved.
    void take(const std::vector<MovedPass>& moved, const PassScheduler& scheduler,
              std::vector<RankPlan>& plans);

  private:
    GridPlan m_grid;
    PassScheduler::Run m_run;
    std::map<Index, std::vector<Index>> m_slabs;  ///< slabs of a pass, by its first slab
};

/// Why they were moved, in a sentence for each row that gave some away.
[[nodiscard]] std::string describe(const std::vector<MovedPass>& moved,
                                   const PassScheduler& scheduler, const GridPlan& grid,
                                   const std::vector<RankPlan>& plans, double now);

/// Rank 0 assigns passes to the ranks of a run one by one as they ask, and moves those that nobody
/// has begun where ranks are not as fast as expected. Requests and answers are texts of the watch,
/// beside the collectives. Tests: tests/core/work/rank_balancer_test.cpp, tests/cli/test_ranks.py
class RankBalancer {
  public:
    /// State of rank 0; used in the thread of RankWatch::run().
    struct First {
        PassScheduler scheduler;
        /// Returns the slices to which a rank has added its views.
        std::function<double(int rank)> done;
        /// Called when passes have moved.
        std::function<void(const std::vector<MovedPass>& moved, const PassScheduler& scheduler,
                           double now)>
            moved;
    };

    /// All ranks construct it, within RankWatch::run(). watch: outlives this.
    /// first: on rank 0 only
    RankBalancer(RankWatch& watch, int rank, std::optional<First> first);

    /// Returns the first slab of the pass that this rank makes next; nothing when there are no
    /// more.
    /// @throws Cancelled
    [[nodiscard]] std::optional<Index> next(const std::stop_token& stop);

  private:
    void take(const RankMessage& message);
    void poll();
    [[nodiscard]] bool answer(int rank, double now);

    RankWatch& m_watch;
    const int m_rank;

    // These belong to rank 0.
    std::optional<First> m_first;
    std::vector<int> m_waiting;  ///< ranks that have asked
    double m_lookedAt = 0;

    std::mutex m_mutex;  ///< guards the members below
    std::condition_variable_any m_told;
    std::optional<Index> m_answer;  ///< kNoMore: no pass is left
};

}  // namespace gantry
