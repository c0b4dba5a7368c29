#pragma once

#include "app/cli/session.h"
#include "core/job/job_directory.h"
#include "core/work/run_job.h"

namespace gantry {

/// Runs a job with progress on the terminal, then prints what was applied, the time of each stage
/// and where the results are; or all of that as one JSON document.
/// @returns the exit code
[[nodiscard]] int runAndPrint(const JobDirectory& job, Session& session, bool json,
                              Purpose purpose = Purpose::run);
/// The same in one of several ranks, of which the first prints.
[[nodiscard]] int runAndPrint(const JobDirectory& job, Session& session, bool json,
                              JobRanks& ranks);

}  // namespace gantry
