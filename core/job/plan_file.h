#pragma once

#include <filesystem>

#include "core/plan/job_plan.h"

namespace gantry {

/// Writes the plan of a job's run to its folder (plan.json): slabs, who makes them in which pass,
/// memory. @throws InputError, ResourceError  it cannot be written
/// Tests: tests/core/job/plan_file_test.cpp
void writePlan(const std::filesystem::path& folder, const JobPlan& plan);

}  // namespace gantry
