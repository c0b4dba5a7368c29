#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/remote/job/job_logs.h"
#include "core/remote/job/remote_job.h"

namespace gantry {

/// Slurm's report on a job.
struct SlurmJob {
    std::string state;   ///< "PENDING", "TIMEOUT"
    std::string reason;  ///< "Resources"
    std::string start;   ///< in Slurm's format; expected, if it waits
    std::string nodes;   ///< "n[1-2]"
    int place = 0;       ///< position in the queue, from 1 on; 0: not known
};

/// Slurm's report on this user's jobs, by their numbers.
struct SlurmNews {
    bool answers = true;
    std::string complaint;  ///< if it does not answer
    std::map<std::string, SlurmJob> jobs;
};

/// A script that asks Slurm about these jobs: squeue, which still lists jobs that have just ended,
/// and for those that it has dropped sacct, which may be disabled. numbers: digits only
[[nodiscard]] std::string slurmQuestion(const std::vector<std::string>& numbers);
/// Lines with an unexpected form are skipped, because none of the output is trusted.
/// Tests: tests/core/remote/slurm_words_test.cpp
[[nodiscard]] SlurmNews parseSlurmAnswer(std::string_view text);

/// Sets the job's state and message from its folder, its log and Slurm's report, in this order.
/// says: the end of its event log
struct LogEnd;
void settleBySlurm(RemoteJob& job, const JobTraces& traces, const LogEnd& says,
                   const SlurmNews& slurm, int gpusPerNode);

/// The end of an event log, from the copy here.
struct LogEnd {
    std::string state;    ///< "running"; empty: nothing
    std::string message;  ///< of a failure
    double fraction = 0;  ///< the part of the job that is done
};
[[nodiscard]] LogEnd endOfLog(const RemoteJob& job);

/// Sets how a job whose script has ended did so, by the exit code and its log. traces: with the
/// exit code
void settleByCode(RemoteJob& job, const JobTraces& traces, const LogEnd& says);

}  // namespace gantry
