#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "core/cluster/mpi/mpi_check.h"
#include "core/cluster/rank_group.h"

namespace gantry {

/// Makes the group of these ranks of a communicator. kept: outlives the group, and MPI. Tests:
/// tests/core/cluster/rank_group_test.cpp
[[nodiscard]] std::unique_ptr<RankGroup> makeMpiGroup(MPI_Comm all, std::vector<int> ranks,
                                                      int kind, KeptMemory& kept);

}  // namespace gantry
