#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace gantry {

/// @throws InputError naming --ranks where there can be no such number of ranks on this machine:
///         this build is without MPI, or its launcher mpirun is missing
void checkRanks(int ranks);

/// Runs `gantry` as so many ranks on this machine, by mpirun, and waits for their end. They end
/// with this process, and when `stop` is requested: they are told so by a signal that mpirun passes
/// on, and mpirun is ended only where they do not end by themselves. words: its command and what
/// follows
/// @returns the exit code of the ranks; kCancelledExitCode after `stop`
/// @throws ResourceError where mpirun does not start
/// Tests: tests/cli/test_rank_faults.py
[[nodiscard]] int runRanks(int ranks, const std::vector<std::string>& words,
                           const std::stop_token& stop);

}  // namespace gantry
