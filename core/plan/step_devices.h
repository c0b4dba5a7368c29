#pragma once

#include "core/plan/job_plan.h"

namespace gantry {

/// How many of the plan's devices correct views, each a part of those that come at a time: all, or
/// only the first where a step sees all views, or where it holds them. All devices resample views,
/// where any does.
/// Tests: tests/core/plan/steps_plan_test.cpp
[[nodiscard]] Index correctingDevices(const Acquisition& acquisition, const JobPlan& plan);

/// Memory that the plan's device `index` takes for correcting and resampling views, bytes.
[[nodiscard]] Index stepsBytesOn(const PlanInputs& inputs, const JobPlan& plan, Index index);

}  // namespace gantry
