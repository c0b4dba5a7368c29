#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/cluster/communicator.h"

namespace gantry {

/// Whether a launcher of MPI (mpirun, srun) has started this process as one of several ranks.
[[nodiscard]] bool isStartedByMpi();

/// What ends this process where MPI's start does not: it waits for all ranks, and one of them may
/// never have been started.
struct StartLimit {
    double seconds = 0;
    std::function<void()> giveUp{};  ///< called in a thread of its own; empty: there is no limit
};

/// Starts MPI in this process, once, with the ranks that the launcher has started. If leave() has
/// returned true when it is destroyed, it ends MPI; otherwise the process must end by abort().
/// @throws ResourceError where MPI does not start, or this build lacks it Tests:
/// tests/core/cluster/communicator_test.cpp, tests/cli/test_rank_faults.py
[[nodiscard]] std::unique_ptr<Communicator> startMpi(const StartLimit& limit = {});

/// Why this build cannot have several ranks, in a sentence; empty: it can.
[[nodiscard]] const char* whyNoMpi();

/// The variables that have to be 1 before this MPI's launcher starts ranks for root; none: it does
/// so in any case.
[[nodiscard]] std::vector<const char*> variablesForRoot();

}  // namespace gantry
