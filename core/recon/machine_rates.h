#pragma once

#include <filesystem>
#include <stop_token>

#include "core/plan/performance_model.h"
#include "core/recon/backends.h"
#include "core/recon/job_plan.h"
#include "core/recon/open_scan.h"

namespace gantry {

/// Measures in about a second what this machine does with this scan: loads, prepares and filters
/// its first views, back-projects them into a piece of the volume, and writes a small file where
/// the output goes (and removes it). Files that the system holds in memory load faster than from a
/// cold disk.
/// @throws InputError, ResourceError as the stages do; Cancelled
/// Tests: tests/core/recon/inspect_test.cpp
[[nodiscard]] MachineRates measureRates(const OpenScan& scan, const JobSpec& spec,
                                        const JobPlan& plan, const Backends& backends,
                                        const std::stop_token& stop);

/// What the job will take on this machine, by stage.
[[nodiscard]] Forecast forecastJob(const OpenScan& scan, const JobSpec& spec, const JobPlan& plan,
                                   const MachineRates& rates);

}  // namespace gantry
