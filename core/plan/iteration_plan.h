#pragma once

#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// Plans an iterative method: the whole volume and all views stay in memory, and the projector
/// holds as much of the volume at a time as there is room for. The plan is that of the start by
/// FDK, in the memory that is left beside, with JobPlan::iterations. One of several ranks gets the
/// plan of its GridPart::parts.
/// inputs: of a request after settleMethod()
/// @throws ResourceError stating what is needed, what is allowed and what helps
/// Tests: tests/core/plan/iteration_plan_test.cpp
[[nodiscard]] JobPlan planIterations(const PlanInputs& inputs);

/// What a rank makes of an iterative method's volume: a row of the grid for each rank, with nearly
/// the same number of slices and the detector rows that spaceParts() gives it.
[[nodiscard]] GridPart iterationPart(const ProjectedViews& views, const VolumeGrid& grid, int rank,
                                     int ranks);

/// Adds the time of the iterations to the forecast of their start.
void addIterations(const PlanInputs& inputs, const JobPlan& plan, const MachineRates& rates,
                   Forecast& forecast);

}  // namespace gantry
