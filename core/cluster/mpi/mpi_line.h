#pragma once

#include <mpi.h>

#include <memory>

#include "core/cluster/mpi/mpi_wait.h"
#include "core/cluster/rank_line.h"

namespace gantry {

/// Makes the channel for all ranks. kept: outlives it, and MPI. Tests:
/// tests/core/cluster/rank_line_test.cpp
[[nodiscard]] std::unique_ptr<RankLine> makeMpiLine(MPI_Comm all, KeptMemory& kept);

}  // namespace gantry
