#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/grid_plan_json.h"
#include "core/plan/cluster/pass_dealer.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// What the ranks of a grid make, as rank 0 knows it, while passes move between rows.
/// Tests: tests/core/work/rank_dealing_test.cpp
class DealtGrid {
  public:
    /// plans: [rank], with the passes that are not finished; slabs: of the whole volume
    DealtGrid(GridPlan grid, const std::vector<SlabPlan>& slabs, const std::vector<RankPlan>& plans,
              Index batchesPerPass);

    [[nodiscard]] PassDealer::Run run() const { return m_run; }
    [[nodiscard]] const GridPlan& grid() const { return m_grid; }
    [[nodiscard]] const GridPart part(int rank) const { return {m_grid, rank}; }

    /// Passes have moved: the grid's slabs are dealt so from here on, and the ranks' plans with it.
    void take(const std::vector<MovedPass>& moved, const PassDealer& dealer,
              std::vector<RankPlan>& plans);

  private:
    GridPlan m_grid;
    PassDealer::Run m_run;
    std::map<Index, std::vector<Index>> m_slabs;  ///< of a pass, by its first
};

/// Why they have moved, in a sentence for each row that has given some away.
[[nodiscard]] std::string describe(const std::vector<MovedPass>& moved, const PassDealer& dealer,
                                   const GridPlan& grid, const std::vector<RankPlan>& plans,
                                   double now);

}  // namespace gantry
