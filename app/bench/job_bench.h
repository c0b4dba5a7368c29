#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/bench/cone_problems.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// A stage of a job and its forecast, summed over its threads or devices.
struct JobStage {
    Stage stage = Stage::load;
    int lanes = 1;  ///< threads or devices that do it in parallel
    double seconds = 0;
    double forecastSeconds = 0;  ///< 0: none
};

/// Whole jobs for one problem, each in its own process as a user starts it.
struct JobFigures {
    std::string device;          ///< that back-projects; the first one of several
    std::string kernel;          ///< of back-projection
    int gpus = 0;                ///< that made it; 0: the CPU did
    double coldWallSeconds = 0;  ///< of the first run
    double forecastSeconds = 0;  ///< for the wall time, made by a third run; 0: none
    // For the run with the median wall time among those that follow:
    double wallSeconds = 0;
    double gups = 0;  ///< of back-projection only, all GPUs together
    std::vector<JobStage> stages;
    double kernelGups = 0;  ///< of one GPU in `gantry bench kernels`; 0: not measured

    /// The job's back-projection rate relative to the kernel's own; 0 if that is unknown.
    [[nodiscard]] double ofKernel() const;
    /// 1 if everything is hidden behind the longest stage.
    [[nodiscard]] double overLongestStage() const;
};

struct JobBenchRequest {
    std::vector<std::string> options;  ///< for `gantry reconstruct`
    int runs = 3;                      ///< after the first two and the one for the forecast
    bool withKernel = true;            ///< measures the kernel by itself too, if GPUs made the job
};

/// Writes a scan of random counts into a folder of its own below `folder`, runs the program several
/// times to reconstruct it there, and removes it.
/// onRun: called after every run
/// @throws InputError, ResourceError: no space; the program's message when it fails. Cancelled
/// Tests: tests/cli/test_bench_jobs.py
[[nodiscard]] JobFigures benchJob(const ConeProblem& problem, const JobBenchRequest& request,
                                  const std::filesystem::path& folder, const std::stop_token& stop,
                                  const std::function<void()>& onRun);

}  // namespace gantry
