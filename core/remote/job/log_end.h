#pragma once

#include <string>

#include "core/remote/job/job_logs.h"
#include "core/remote/job/remote_job.h"

namespace gantry {

/// The end of an event log, from the copy here.
struct LogEnd {
    std::string state;    ///< "running"; empty: nothing
    std::string message;  ///< of a failure
    double fraction = 0;  ///< the part of the job that is done
};
[[nodiscard]] LogEnd endOfLog(const RemoteJob& job);

/// Sets how a job whose script has ended did so, by the exit code and its log. traces: with the
/// exit code
/// Tests: tests/core/remote/slurm_words_test.cpp
void settleByCode(RemoteJob& job, const JobTraces& traces, const LogEnd& says);

}  // namespace gantry
