#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/pipeline/timeline.h"
#include "core/recon/backends.h"
#include "core/recon/job_plan.h"
#include "core/recon/machine_rates.h"

namespace gantry {

/// What a job will take on this machine, for `gantry plan` and the desktop.
struct JobForecast {
    JobPlan plan;
    MachineRates rates;
    Forecast seconds;
    std::string engine;  ///< "CPU (AVX-512)", "2 × NVIDIA H200 (tile, exact)"
    Index outputBytes = 0;
    Index freeDiskBytes = 0;
};

/// What a forecast says of one stage, seconds; 0: nothing.
[[nodiscard]] double secondsOf(const Forecast& forecast, Stage stage);
/// The same of all devices together, as a timeline adds up what they do.
[[nodiscard]] double laneSecondsOf(const Forecast& forecast, Stage stage);

/// Keeps what was foretold of a job in its folder, to be shown beside what was measured.
/// @throws InputError, ResourceError
void writeForecast(const std::filesystem::path& folder, const Forecast& forecast);
/// None where there is none, or none that can be read.
[[nodiscard]] std::optional<Forecast> readForecast(const std::filesystem::path& folder);

/// Keeps what the trials of kernels tell of a job in its folder, where no forecast is kept yet: it
/// costs nothing. A forecast that cannot be written is missing, and fails nothing.
void keepTrials(const std::filesystem::path& folder, const OpenScan& scan, const JobSpec& spec,
                const JobPlan& plan);

/// Plans a job and measures this machine for about a second; with `known` rates (of the same scan
/// and detector size) it only computes, with the speeds that kernels have in the plan's own trials.
/// Known rates of other devices than the plan's count for nothing: where the plan has one that is
/// not among them, JobForecast::rates has no devices.
/// @throws InputError, ResourceError: one sentence on why the job cannot run and what to change
/// @throws Cancelled
/// Tests: tests/core/recon/job_forecast_test.cpp
[[nodiscard]] JobForecast forecast(const OpenScan& scan, const JobSpec& spec,
                                   const Backends& backends,
                                   const std::optional<MachineRates>& known,
                                   const std::stop_token& stop);

}  // namespace gantry
