#pragma once

#include <set>
#include <vector>

#include "core/plan/job_plan.h"

namespace gantry {

/// Passes over a plan's slabs that are not done, in their order: each of as many neighbours as the
/// plan has devices, the first of which the first device makes; of one row where there is a grid.
/// Tests: tests/core/plan/passes_test.cpp, tests/core/plan/questions_test.cpp
[[nodiscard]] std::vector<PassPlan> passesOf(const JobPlan& plan, const Acquisition& acquisition,
                                             const std::set<Index>& done);

/// Leaves those spare passes for which the memory of the plan's own would not be enough.
void leaveLargeSpare(JobPlan& plan);

/// As passesOf() where views are gathered: in a pass each row of the grid makes at most one slab,
/// and those of a pass are neighbours. The views of all are read again for each.
[[nodiscard]] std::vector<PassPlan> gatheredPasses(const JobPlan& plan, const GridPart& part,
                                                   const std::set<Index>& done);

}  // namespace gantry
