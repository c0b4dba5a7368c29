#pragma once

#include <memory>

#include "core/cluster/communicator.h"

namespace gantry {

/// Whether a launcher of MPI (mpirun, srun) has started this process as one of several ranks.
[[nodiscard]] bool isStartedByMpi();

/// Starts MPI in this process, once; the ranks that the launcher has started. Destroyed after
/// leave() has said that all are done, it ends MPI; else the process has to end by abort().
/// @throws ResourceError where MPI does not start, or this build is without it
/// Tests: tests/core/cluster/communicator_test.cpp
[[nodiscard]] std::unique_ptr<Communicator> startMpi();

/// Why there can be no ranks in this build, a sentence; empty: there can.
[[nodiscard]] const char* whyNoMpi();

}  // namespace gantry
