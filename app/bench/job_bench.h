#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/bench/cone_problems.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// A stage of a job beside its forecast, of all its threads or devices together.
struct JobStage {
    Stage stage = Stage::load;
    int lanes = 1;  ///< threads or devices that do it side by side
    double seconds = 0;
    double forecastSeconds = 0;  ///< 0: none
};

/// Whole jobs of one problem, each a process of its own as an operator starts it.
struct JobFigures {
    std::string device;          ///< that back-projects, the first of several
    std::string kernel;          ///< of back-projection
    int gpus = 0;                ///< that made it; 0: the CPU did
    double coldWallSeconds = 0;  ///< of the first run
    double forecastSeconds = 0;  ///< of the wall, said by a third one; 0: none
    // Of the run of median wall time among those that follow:
    double wallSeconds = 0;
    double gups = 0;  ///< of back-projection alone, all GPUs together
    std::vector<JobStage> stages;
    double kernelGups = 0;  ///< of one GPU in `gantry bench kernels`; 0: not measured

    /// The job's back-projection against the kernel's own speed; 0 where that is unknown.
    [[nodiscard]] double ofKernel() const;
    /// 1 where everything is hidden behind the longest stage.
    [[nodiscard]] double overLongestStage() const;
};

struct JobBenchRequest {
    std::vector<std::string> options;  ///< for `gantry reconstruct`
    int runs = 3;                      ///< after the first two and the one that forecasts
    bool withKernel = true;            ///< measures the kernel alone too, where GPUs made the job
};

/// Writes a scan of random counts into a folder of its own below `folder`, lets the program
/// reconstruct it there again and again, and removes it.
/// onRun: is called after every run
/// @throws InputError, ResourceError: no place; what the program says when it fails. Cancelled
/// Tests: tests/cli/test_bench_jobs.py
[[nodiscard]] JobFigures benchJob(const ConeProblem& problem, const JobBenchRequest& request,
                                  const std::filesystem::path& folder, const std::stop_token& stop,
                                  const std::function<void()>& onRun);

}  // namespace gantry
