#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/job/grid_plan_json.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// Writes the plan of a job's run to its folder (plan.json): slabs, who makes them in which pass,
/// memory.
/// ranks: in a run by several
/// @throws InputError, ResourceError  it cannot be written
/// Tests: tests/core/job/plan_file_test.cpp
void writePlan(const std::filesystem::path& folder, const JobPlan& plan,
               const std::vector<RankPlan>& ranks = {});

/// How the ranks of a job's last run made the volume together; nothing if one process did, or the
/// file cannot be read.
[[nodiscard]] std::optional<GridPlan> readGridPlan(const std::filesystem::path& folder);

}  // namespace gantry
