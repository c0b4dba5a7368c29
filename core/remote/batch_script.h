#pragma once

#include <string>

#include "core/plan/job_spec.h"
#include "core/remote/host.h"

namespace gantry {

/// What a job asks of a cluster.
struct JobResources {
    int nodes = 1;
    int ranksPerNode = 1;
    int minutes = 0;     ///< time limit; 0: none
    std::string reason;  ///< why, for people

    [[nodiscard]] int ranks() const { return nodes * ranksPerNode; }
};

/// From the forecast of the host's cluster model: the most nodes of which each doubling is worth
/// it, and three times the predicted time; without a model, as the host's file says.
/// nodes, minutes: wished for; 0: not
/// @throws InputError where more is wished for than the host gives
/// Tests: tests/core/remote/batch_script_test.cpp
[[nodiscard]] JobResources resourcesFor(const Host& host, const JobSpec& spec, int nodes,
                                        int minutes);

/// The script that runs a job on a host, below the job's folder there: for people to read and edit.
[[nodiscard]] std::string batchScript(const Host& host, const JobResources& resources,
                                      const std::string& id);

/// Shell lines that make gantry ready to be started: variables and modules.
[[nodiscard]] std::string setupLines(const Host& host);
/// Words of a shell that start it.
[[nodiscard]] std::string gantryWords(const Host& host);

}  // namespace gantry
