#pragma once

#include <string>
#include <vector>

namespace gantry {

/// @throws InputError naming --ranks where there can be no such number of ranks on this machine:
///         this build is without MPI, or its launcher mpirun is missing
void checkRanks(int ranks);

/// This process becomes mpirun, which runs `gantry` as so many ranks on this machine.
/// words: its command and what follows
/// @throws ResourceError where mpirun does not start
[[noreturn]] void becomeRanks(int ranks, const std::vector<std::string>& words);

}  // namespace gantry
