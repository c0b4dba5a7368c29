#pragma once

#include <set>
#include <vector>

#include "core/plan/job_plan.h"

namespace gantry {

/// Passes over a plan's slabs that are not done, in their order: each of as many neighbours as the
/// plan has devices, the first of which the first device makes.
/// Tests: tests/core/plan/passes_test.cpp, tests/core/plan/questions_test.cpp
[[nodiscard]] std::vector<PassPlan> passesOf(const JobPlan& plan, const Acquisition& acquisition,
                                             const std::set<Index>& done);

}  // namespace gantry
