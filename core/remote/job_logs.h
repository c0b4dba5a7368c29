#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/host_shell.h"
#include "core/remote/remote_job.h"

namespace gantry {

/// What a job's folder on a host says of itself.
struct JobTraces {
    bool isGone = false;       ///< there is no such folder
    bool isAlive = false;      ///< the process that runs its script is at work (not on clusters)
    std::string begun;         ///< number, restarts and machines; empty: it has not begun
    std::optional<int> ended;  ///< the exit code of its script
    std::string said;          ///< its last words, where it failed
};

/// One round trip for all jobs: what their folders say, what their event logs have gained since
/// they were last read, and what `more` prints.
struct LogNews {
    std::vector<JobTraces> traces;  ///< of each job
    std::string more;
    bool hasMore = false;  ///< logs have more than one call reads
};

/// Reads on in the event logs of these jobs, from the byte that the copies in their folders here
/// end with, and adds to them. A log that has become shorter was begun anew, and so is its copy.
/// more: a script whose output is added: it gets no arguments
/// @throws as HostShell::run(); InputError, ResourceError where a log cannot be written here
/// Tests: tests/cli/test_remote.py, tests/cli/test_remote_faults.py
[[nodiscard]] LogNews readLogs(const HostShell& shell, std::span<const RemoteJob> jobs,
                               const std::string& more, const std::stop_token& stop);

}  // namespace gantry
