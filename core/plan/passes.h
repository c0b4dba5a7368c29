#pragma once

#include <set>
#include <vector>

#include "core/plan/job_plan.h"

namespace gantry {

/// The passes over a plan's slabs that are not done, in order. Each has as many neighbouring slabs
/// as the plan has devices, and begins with one that the first device makes; on a grid they are of
/// one row. Tests: tests/core/plan/passes_test.cpp, tests/core/plan/questions_test.cpp
[[nodiscard]] std::vector<PassPlan> passesOf(const JobPlan& plan, const Acquisition& acquisition,
                                             const std::set<Index>& done);

/// Removes the spare passes that need more memory than the plan's own.
void leaveLargeSpare(JobPlan& plan);

/// The same where views are gathered: in a pass each row of the grid makes at most one slab, and
/// the slabs of a pass are neighbours. All views are read again for each pass.
[[nodiscard]] std::vector<PassPlan> gatheredPasses(const JobPlan& plan, const GridPart& part,
                                                   const std::set<Index>& done);

}  // namespace gantry
