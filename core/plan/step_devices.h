#pragma once

#include "core/plan/job_plan.h"

namespace gantry {

/// How many of the plan's devices correct views, each a part of those that come at a time, and a
/// part of the rows where a step sees all views: all, or only the first where it holds all views.
/// All devices resample views, where any does.
/// Tests: tests/core/plan/steps_plan_test.cpp
[[nodiscard]] Index correctingDevices(const JobPlan& plan);

/// How many times faster than on one device the plan's devices correct views and make line
/// integrals of them; 1 where the CPU does so.
struct SharedSteps {
    double correct = 1;
    double prepare = 1;
};
/// Tests: tests/core/plan/steps_plan_test.cpp
[[nodiscard]] SharedSteps sharedSteps(const JobPlan& plan);

/// Memory that the plan's device `index` takes for correcting and resampling views, bytes.
[[nodiscard]] Index stepsBytesOn(const PlanInputs& inputs, const JobPlan& plan, Index index);

}  // namespace gantry
