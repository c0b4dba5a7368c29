#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/engine/backends.h"
#include "core/machine/machine_rates.h"
#include "core/plan/job_plan.h"
#include "core/plan/job_spec.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Forecast of a job on this machine, for `gantry plan` and the desktop.
struct JobForecast {
    JobPlan plan;
    MachineRates rates;
    Forecast seconds;
    std::string engine;  ///< "CPU (AVX-512)", "2 × NVIDIA H200 (tile, exact)"
    Index outputBytes = 0;
    Index freeDiskBytes = 0;
};

/// Plans a job and measures this machine for about a second; with `known` rates (of the same scan
/// and detector size) it only computes, with the speeds that kernels have in the plan's own trials.
/// Known rates of other devices than the plan's are ignored: where the plan has one that is not
/// among them, JobForecast::rates has no devices.
/// @throws InputError, ResourceError: one sentence on why the job cannot run and what to change
/// @throws Cancelled
/// Tests: tests/core/machine/job_forecast_test.cpp
[[nodiscard]] JobForecast forecast(const OpenScan& scan, const JobSpec& spec,
                                   const Backends& backends,
                                   const std::optional<MachineRates>& known,
                                   const std::stop_token& stop);

}  // namespace gantry
