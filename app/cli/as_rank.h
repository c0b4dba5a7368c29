#pragma once

#include <functional>

#include "app/cli/session.h"
#include "core/work/job_ranks.h"

namespace gantry {

/// Does the work of a command in one of several ranks that MPI's launcher has started; every rank
/// calls it. The first one reports why the work has failed, if it has.
/// @returns the exit code; if a rank does not answer at the end, all processes are ended
int runAsRank(Session& session, const std::function<int(JobRanks& ranks)>& work);

}  // namespace gantry
