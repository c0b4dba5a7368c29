#pragma once

#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// The known rates of a plan's stages; 0 where a rate is not known.
[[nodiscard]] MachineRates ratesOf(const PlanInputs& inputs, const JobPlan& plan);

/// The work of the devices in a plan.
[[nodiscard]] DeviceWorkload workOnDevices(const PlanInputs& inputs, const JobPlan& plan);

/// Whether the disk had no room for the test of its speed: forecasts are without its time.
[[nodiscard]] bool isStorageUntested(const PlanInputs& inputs, const JobPlan& plan);

/// Forecast of what remains of a job. Unless all that it needs is known, it predicts neither the
/// time of the whole nor the stage that bounds it. Tests: tests/core/plan/questions_test.cpp
[[nodiscard]] Forecast forecast(const PlanInputs& inputs, const JobPlan& plan);

/// The same with these rates.
[[nodiscard]] Forecast forecast(const PlanInputs& inputs, const JobPlan& plan,
                                const MachineRates& rates);

/// Seconds of the whole run on devices; stages whose rate is unknown take no time.
[[nodiscard]] double knownWall(const PlanInputs& inputs, const JobPlan& plan);

/// Whether measuring the CPU's filter may pay off, because GPUs may filter a long run's views more
/// slowly; a short run gains less than the measurement costs.
[[nodiscard]] bool isFilterPlaceOpen(const PlanInputs& inputs, const JobPlan& plan);

/// Where the views of a plan are filtered: as planned, or on the CPU if that is known to be clearly
/// faster for a long run. A rank whose grid was planned before filters where it did then. Tests:
/// tests/core/plan/filter_place_test.cpp
[[nodiscard]] ViewState filterPlace(const PlanInputs& inputs, const JobPlan& plan);

}  // namespace gantry
