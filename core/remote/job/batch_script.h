#pragma once

#include <string>

#include "core/plan/job_spec.h"
#include "core/remote/host/host.h"

namespace gantry {

/// The resources that a job requests from a cluster.
struct JobResources {
    int nodes = 1;
    int ranksPerNode = 1;
    int minutes = 0;     ///< time limit; 0: none
    std::string reason;  ///< the reason, for the user

    [[nodiscard]] int ranks() const { return nodes * ranksPerNode; }
};

/// Chooses resources from the forecast of the host's cluster model: the most nodes for which each
/// doubling still pays off, and three times the predicted time; without a model, as in the host's
/// file. nodes, minutes: requested; 0: not
/// @throws InputError where more is requested than the host offers
/// Tests: tests/core/remote/batch_script_test.cpp
[[nodiscard]] JobResources resourcesFor(const Host& host, const JobSpec& spec, int nodes,
                                        int minutes);

/// The script that runs a job on a host, below the job's folder there: written to be read and
/// edited.
[[nodiscard]] std::string batchScript(const Host& host, const JobResources& resources,
                                      const std::string& id);

/// Shell lines that prepare the start of gantry: variables and modules.
[[nodiscard]] std::string setupLines(const Host& host);
/// Shell words that start it.
[[nodiscard]] std::string gantryWords(const Host& host);

}  // namespace gantry
