#pragma once

#include <mpi.h>

#include <memory>

#include "core/cluster/mpi/mpi_check.h"
#include "core/cluster/rank_requests.h"

namespace gantry {

/// Makes the channel for all ranks. kept: outlives it, and MPI. Tests:
/// tests/core/cluster/rank_requests_test.cpp
[[nodiscard]] std::unique_ptr<RankRequests> makeMpiRequests(MPI_Comm all, KeptMemory& kept);

}  // namespace gantry
