#pragma once

#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// Plans an iterative method: the whole volume and all views stay in memory, and the projector
/// holds as much of the volume at a time as there is room for. The plan is that of the start by
/// FDK, in the memory that is left beside, with JobPlan::iterations.
/// inputs: of a request after settleMethod()
/// @throws ResourceError stating what is needed, what is allowed and what helps
/// Tests: tests/core/plan/iteration_plan_test.cpp
[[nodiscard]] JobPlan planIterations(const PlanInputs& inputs);

/// Adds the time of the iterations to the forecast of their start.
void addIterations(const PlanInputs& inputs, const JobPlan& plan, const MachineRates& rates,
                   Forecast& forecast);

}  // namespace gantry
