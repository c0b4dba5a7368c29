#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace gantry {

/// @throws InputError naming --ranks if this machine cannot have that many ranks: this build lacks
/// MPI, or its launcher mpirun is missing
void checkRanks(int ranks);

/// Runs `gantry` as `ranks` ranks on this machine, by mpirun, and waits for their end. They end
/// with this process, and when `stop` is requested: they get a signal that mpirun forwards, and
/// mpirun is killed only if they do not end by themselves. words: its command and arguments
/// @returns the exit code of the ranks; kCancelledExitCode after `stop`
/// @throws ResourceError if mpirun does not start
/// Tests: tests/cli/test_rank_faults.py
[[nodiscard]] int runRanks(int ranks, const std::vector<std::string>& words,
                           const std::stop_token& stop);

}  // namespace gantry
