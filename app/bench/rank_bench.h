#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/bench/cone_problems.h"

namespace gantry {

/// A job by two ranks, one of which is slowed down, shared by uniform weights and by measured ones.
struct UnequalRanks {
    double speed = 1;         ///< of the slowed rank, relative to the other's
    double afterSeconds = 0;  ///< since its start
    double idealSeconds = 0;  ///< if both worked until the end, as fast as they can
    double uniformSeconds = 0;
    double measuredSeconds = 0;
    std::vector<double> shares{};  ///< with which the measured one began
    Index movedSlices = 0;         ///< moved to another rank during the run
};

/// The figures of a scheme for a cluster of the paper's tables I to IV, percent.
struct PaperShares {
    std::string cluster;  ///< "table I"
    std::string scheme;
    std::vector<double> printed;
    std::vector<double> ours;
};
/// Orr, Jimenez, Thompson: Cluster-Based Approach to a Multi-GPU CT Reconstruction Algorithm.
[[nodiscard]] std::vector<PaperShares> paperShares();

/// Runs two ranks of one thread, a core each, with the CPU's slow kernel, so that files and filter
/// hardly count: both at full speed, then one at a half, at a quarter, and at a quarter from the
/// middle of the run on. The ideal is computed from the first. onRun: called after every run with
/// the part that is done
/// @throws InputError, ResourceError: no space, no MPI; the program's message when it fails.
///         Cancelled
/// Tests: tests/cli/test_bench_ranks.py
[[nodiscard]] std::vector<UnequalRanks> benchUnequalRanks(const ConeProblem& problem,
                                                          const std::filesystem::path& folder,
                                                          const std::stop_token& stop,
                                                          const std::function<void(double)>& onRun);

}  // namespace gantry
