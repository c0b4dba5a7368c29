#pragma once

#include "app/cli/session.h"
#include "app/commands/plan_cluster.h"

namespace gantry {

/// Prints the plan and the forecast of a job by several ranks of this machine: starts them, so that
/// each measures its rates while the others do, and those of exchanges; or is itself one of them.
/// @throws InputError naming the option or field; ResourceError
/// Tests: tests/cli/test_ranks.py
int planRanks(const ClusterOptions& options, const ReconstructionOptions& request, bool json,
              Session& session);

}  // namespace gantry
