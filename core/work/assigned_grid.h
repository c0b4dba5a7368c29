#pragma once

#include <map>
#include <string>
#include <vector>

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

}  // namespace gantry
