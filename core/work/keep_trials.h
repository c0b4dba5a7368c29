#pragma once

#include <filesystem>

#include "core/plan/job_plan.h"
#include "core/plan/job_spec.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Keeps the forecast that the kernel trials give of a job in its folder, where no forecast is kept
/// yet. A forecast that cannot be written is missing, but does not fail the job.
/// Tests: tests/core/machine/job_forecast_devices_test.cpp
void keepTrials(const std::filesystem::path& folder, const OpenScan& scan, const JobSpec& spec,
                const JobPlan& plan);

}  // namespace gantry
