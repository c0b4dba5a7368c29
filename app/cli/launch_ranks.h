#pragma once

#include <filesystem>

namespace gantry {

inline constexpr int kMostLocalRanks = 1024;

/// @throws InputError naming --ranks where there can be no such number of ranks on this machine:
///         this build is without MPI, or its launcher mpirun is missing
void checkRanks(int ranks);

/// This process becomes mpirun, which runs `gantry worker JOB` as so many ranks on this machine.
/// @throws ResourceError where mpirun does not start
[[noreturn]] void becomeRanks(int ranks, const std::filesystem::path& job, bool json);

}  // namespace gantry
