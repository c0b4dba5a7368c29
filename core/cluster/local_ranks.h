#pragma once

#include <string>

namespace gantry {

inline constexpr int kMaxLocalRanks = 1024;

/// The program of MPI that starts ranks on this machine.
inline constexpr const char* kRankLauncher = "mpirun";

/// Why no ranks can be started on this machine, in sentences: this build is without MPI, its
/// launcher is missing, or it refuses this user. Empty: they can.
/// Tests: tests/cli/test_ranks.py, tests/ui/panels/reconstruction_engine_test.cpp
[[nodiscard]] std::string whyNoLocalRanks();

/// Why the processes of a step of Slurm, of which this is one, do not see each other, in sentences.
/// Empty: they do, or this is no such process.
/// ranks: that MPI has connected with this one, itself included; 1 where MPI was not started
/// Tests: tests/cli/test_ranks.py
[[nodiscard]] std::string whyRanksAreApart(int ranks);

}  // namespace gantry
