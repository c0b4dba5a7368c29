#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/bench/cone_problems.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// A job by one process, or by ranks with one grid and exchange, and its forecast.
struct GridRun {
    Index rows = 0;  ///< of the grid; 0: one process
    Index columns = 0;
    std::string exchange;
    double wallSeconds = 0;
    double forecastSeconds = 0;  ///< for the same run; 0: none
    bool isChosen = false;       ///< ranks choose this grid by themselves
    double beginSeconds = 0;     ///< until the first stage works
    double endSeconds = 0;       ///< after the last stage
    double overlapFactor = 0;    ///< δ: the sum of the stages' seconds over the wall time
    struct StageSeconds {
        Stage stage = Stage::load;
        double seconds = 0;  ///< of all ranks and threads
        double forecastSeconds = 0;
    };
    std::vector<StageSeconds> stages{};
};

/// The jobs that benchGrids() runs.
struct GridBenchRequest {
    int ranks = 2;
    std::string engine = "auto";
    std::filesystem::path keep{};  ///< jobs' folders are copied here; empty: they are removed
};

/// Runs one process, then every grid of `ranks` ranks with every exchange, and the one that they
/// choose, on this machine. Each job is run twice, and the second run counts: its forecast uses
/// what was measured in the first. onRun: called after every run with the part that is done
/// @throws InputError, ResourceError: no space, no MPI; the program's message when it fails.
///         Cancelled
/// Tests: tests/cli/test_bench_ranks.py
[[nodiscard]] std::vector<GridRun> benchGrids(const ConeProblem& problem,
                                              const GridBenchRequest& request,
                                              const std::filesystem::path& folder,
                                              const std::stop_token& stop,
                                              const std::function<void(double)>& onRun);

}  // namespace gantry
