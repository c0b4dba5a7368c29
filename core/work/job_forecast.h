#pragma once

#include <string>

#include "core/plan/job_plan.h"
#include "core/plan/job_spec.h"
#include "core/plan/performance_model.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Forecast of a job on a machine, for `gantry plan` and the desktop.
struct JobForecast {
    JobPlan plan;
    MachineRates rates;
    Forecast seconds;
    Index outputBytes = 0;
    Index freeDiskBytes = 0;

    /// Whether everything is known that the forecast needs.
    [[nodiscard]] bool isComplete() const { return seconds.wall > 0; }
};

/// Plans a job and predicts its seconds as far as facts are known: learn() in
/// core/machine/measure.h finds the others. Measures nothing.
/// @throws InputError, ResourceError: one sentence on why the job cannot run and what to change
/// Tests: tests/core/work/job_forecast_test.cpp, tests/core/work/device_forecast_test.cpp
[[nodiscard]] JobForecast forecastJob(const OpenScan& scan, const JobSpec& spec,
                                      const Machine& machine, const Facts& facts);

}  // namespace gantry
