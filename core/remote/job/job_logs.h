#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/job/remote_job.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// What a job's folder on a host shows about the job.
struct JobTraces {
    bool isGone = false;       ///< there is no such folder
    bool isAlive = false;      ///< the process that runs its script exists (not on clusters)
    std::string begun;         ///< number, restarts and machines; empty: not started
    std::optional<int> ended;  ///< the exit code of its script
    bool isCancelled = false;  ///< its end was asked for, by whichever program or machine
    std::string lastOutput;    ///< its last message, if it failed
};

/// The result of one round trip for all jobs: their folders, new lines of their event logs, and the
/// output of `more`.
struct LogNews {
    std::vector<JobTraces> traces;  ///< for each job
    std::string more;
    bool hasMore = false;  ///< bytes arrived, and logs have more than one call reads
};

/// Reads the event logs of these jobs from the byte at which the copies in their folders here end,
/// and appends to them. One call reads 16 MB of all jobs together, in equal parts; what a log has
/// behind its first GB is not read. A log that has become shorter was started again, and so is its
/// copy. more: a script whose output is added; it gets no arguments, and ends before the folders
/// are read
/// @throws as HostShell::run(); ResourceError for an answer with other bytes than were asked for;
/// InputError, ResourceError if a log cannot be written here
/// Tests: tests/core/remote/job_logs_test.cpp, tests/cli/test_remote.py,
/// tests/cli/test_remote_faults.py
[[nodiscard]] LogNews readLogs(const HostShell& shell, std::span<const RemoteJob> jobs,
                               const std::string& more, const std::stop_token& stop);

}  // namespace gantry
