#pragma once

#include <optional>
#include <stop_token>

#include "core/engine/backends.h"
#include "core/plan/job_plan.h"
#include "core/plan/job_spec.h"
#include "core/plan/performance_model.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Measures in about a second what this machine does with this scan: loads, prepares and filters
/// its first views, back-projects them into a piece of the volume, and writes a small file where
/// the output goes (and removes it); on devices, what each of the plan's does with the job. Files
/// that the system holds in memory load faster than from a cold disk.
/// @throws InputError, ResourceError as the stages do; Cancelled
/// Tests: tests/core/machine/machine_rates_test.cpp,
///        tests/core/machine/job_forecast_devices_test.cpp
[[nodiscard]] MachineRates measureRates(const OpenScan& scan, const JobSpec& spec,
                                        const JobPlan& plan, const Backends& backends,
                                        const std::stop_token& stop);

/// Forecast of the job on this machine, by stage.
[[nodiscard]] Forecast forecastJob(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                                   const MachineRates& rates);

/// Forecast of a job on devices without further measurement: the time of back-projection, by the
/// trials of their kernels. Nothing for a job on the CPU.
[[nodiscard]] std::optional<Forecast> forecastOfTrials(const OpenScan& scan, const JobSpec& spec,
                                                       const JobPlan& plan);

/// The plan of a job as it is run. Where the job does not say where views for devices are filtered,
/// and the run is long enough to gain by it, the CPU and the devices are measured for part of a
/// second, and the views are filtered where the run is foretold to be faster.
/// @throws what planJob and measureRates throw
/// Tests: tests/core/machine/job_forecast_devices_test.cpp
[[nodiscard]] JobPlan planRun(const OpenScan& scan, const JobSpec& spec, const Backends& backends,
                              const std::optional<FinishedSlabs>& finished,
                              const std::stop_token& stop);
/// The same of a job that planJob planned, by rates that are known.
[[nodiscard]] JobPlan withFilterPlace(JobPlan plan, const OpenScan& scan, const JobSpec& spec,
                                      const Backends& backends, const MachineRates& rates,
                                      const std::optional<FinishedSlabs>& finished = {});

}  // namespace gantry
