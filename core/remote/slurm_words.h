#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/remote/job_logs.h"
#include "core/remote/remote_job.h"

namespace gantry {

/// What Slurm says of a job.
struct SlurmJob {
    std::string state;   ///< "PENDING", "TIMEOUT"
    std::string reason;  ///< "Resources"
    std::string start;   ///< as Slurm writes a time; expected, where it waits
    std::string nodes;   ///< "n[1-2]"
    int place = 0;       ///< in the queue, from 1 on; 0: not known
};

/// What Slurm says of this user's jobs, by their numbers.
struct SlurmNews {
    bool answers = true;
    std::string complaint;  ///< where it does not
    std::map<std::string, SlurmJob> jobs;
};

/// A script that asks Slurm of these jobs: squeue, which still knows jobs that have just ended, and
/// of those that it has forgotten sacct, which may be off. numbers: of digits alone
[[nodiscard]] std::string slurmQuestion(const std::vector<std::string>& numbers);
/// Nothing of it is trusted: lines that are not as they should be are passed over.
/// Tests: tests/core/remote/slurm_words_test.cpp
[[nodiscard]] SlurmNews parseSlurmAnswer(std::string_view text);

/// Sets the job's state and its words by what its folder, its log and Slurm say, in this order.
/// says: the end of its event log
struct LogEnd;
void settleBySlurm(RemoteJob& job, const JobTraces& traces, const LogEnd& says,
                   const SlurmNews& slurm, int gpusPerNode);

/// What the end of an event log says, of the copy here.
struct LogEnd {
    std::string state;    ///< "running"; empty: nothing
    std::string message;  ///< of a failure
    double fraction = 0;  ///< that is done
};
[[nodiscard]] LogEnd endOfLog(const RemoteJob& job);

/// How a job ended whose script has: by its exit code and its log.
/// traces: with the exit code
void settleByCode(RemoteJob& job, const JobTraces& traces, const LogEnd& says);

}  // namespace gantry
