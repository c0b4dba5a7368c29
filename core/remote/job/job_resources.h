#pragma once

#include <string>

#include "core/base/types.h"
#include "core/plan/job_spec.h"
#include "core/remote/host/host.h"

namespace gantry {

/// The resources that a job requests from a cluster.
struct JobResources {
    int nodes = 1;
    int ranksPerNode = 1;
    int minutes = 0;        ///< time limit; 0: none
    std::string reason;     ///< the reason, for the user
    int cpusPerRank = 0;    ///< 0: none are asked for
    Index memoryBytes = 0;  ///< of a node; 0: none is asked for

    [[nodiscard]] int ranks() const { return nodes * ranksPerNode; }
    [[nodiscard]] Index memoryMb() const;  ///< in MiB, as schedulers count it, rounded up
};

/// Chooses resources from the forecast of the host's cluster model: the most nodes for which each
/// doubling still pays off, and three times the predicted time; without a model, as in the host's
/// file. nodes, minutes: requested; 0: not
/// @throws InputError where more is requested than the host offers
/// Tests: tests/core/remote/batch_script_test.cpp
[[nodiscard]] JobResources resourcesFor(const Host& host, const JobSpec& spec, int nodes,
                                        int minutes);

}  // namespace gantry
