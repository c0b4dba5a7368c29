#pragma once

#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// What is known of the rates of a plan's stages; 0 where it is not.
[[nodiscard]] MachineRates ratesOf(const PlanInputs& inputs, const JobPlan& plan);

/// What devices have to do for a plan.
[[nodiscard]] DeviceWorkload workOnDevices(const PlanInputs& inputs, const JobPlan& plan);

/// Forecast of what remains of a job, by what is known. Where that is not all, the time of the
/// whole is not predicted, nor the stage that bounds it.
/// Tests: tests/core/plan/questions_test.cpp
[[nodiscard]] Forecast forecast(const PlanInputs& inputs, const JobPlan& plan);

/// The same by these rates.
[[nodiscard]] Forecast forecast(const PlanInputs& inputs, const JobPlan& plan,
                                const MachineRates& rates);

/// Seconds of the whole on devices, as far as they are known: what is not takes no time.
[[nodiscard]] double knownWall(const PlanInputs& inputs, const JobPlan& plan);

/// Whether it may pay to measure what the CPU's filter does, as GPUs may filter a long run's views
/// slower than that: a short run gains less than the measurement costs.
[[nodiscard]] bool isFilterPlaceOpen(const PlanInputs& inputs, const JobPlan& plan);

/// Where the views of a plan are filtered: as planned, or on the CPU where that is known to be
/// clearly faster for a long run. A rank whose grid was planned before keeps to where it filtered
/// then.
/// Tests: tests/core/plan/filter_place_test.cpp
[[nodiscard]] ViewState filterPlace(const PlanInputs& inputs, const JobPlan& plan);

}  // namespace gantry
