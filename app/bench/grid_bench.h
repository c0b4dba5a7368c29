#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/bench/cone_problems.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// A job by one process, or by the ranks of one grid and exchange, beside its forecast.
struct GridRun {
    Index rows = 0;  ///< of the grid; 0: one process
    Index columns = 0;
    std::string exchange;
    double wallSeconds = 0;
    double forecastSeconds = 0;  ///< of the same run; 0: none
    bool isChosen = false;       ///< the grid is the one that ranks take by themselves
    double beginSeconds = 0;     ///< until the first stage is at work
    double endSeconds = 0;       ///< after the last one
    double overlapFactor = 0;    ///< δ: the stages' seconds over those of the whole
    struct StageSeconds {
        Stage stage = Stage::load;
        double seconds = 0;  ///< of all ranks and threads
        double forecastSeconds = 0;
    };
    std::vector<StageSeconds> stages{};
};

/// Which jobs benchGrids() runs.
struct GridBenchRequest {
    int ranks = 2;
    std::string engine = "auto";
    std::filesystem::path keep{};  ///< the jobs' folders are copied into this one; empty: they go
};

/// One process, then every grid of so many ranks by every exchange, and the one that they choose,
/// on this machine. Each job is run twice, and the second one counts: it is forecast by what the
/// first has told. onRun: is called after every run with the part that is done
/// @throws InputError, ResourceError: no place, no MPI; what the program says when it fails.
///         Cancelled
/// Tests: tests/cli/test_bench_ranks.py
[[nodiscard]] std::vector<GridRun> benchGrids(const ConeProblem& problem,
                                              const GridBenchRequest& request,
                                              const std::filesystem::path& folder,
                                              const std::stop_token& stop,
                                              const std::function<void(double)>& onRun);

}  // namespace gantry
