#pragma once

#include <functional>

#include "app/cli/session.h"
#include "core/work/job_ranks.h"

namespace gantry {

/// Does the work of a command by one of several ranks that MPI's launcher has started; each of them
/// comes here. The first tells why the work has failed, if it has.
/// @returns the exit code; where a rank does not answer at the end, all processes are ended
int runAsRank(Session& session, const std::function<int(JobRanks& ranks)>& work);

}  // namespace gantry
