#pragma once

#include <span>
#include <stop_token>

#include "core/remote/job/remote_job.h"

namespace gantry {

/// Max calls of WatchedHost::poll() without a pause while logs have more: a host may state that for
/// ever.
constexpr int kMaxPollsInARow = 16;

/// What runs jobs that a HostWatch follows: this machine with its jobs in their own folders
/// (LocalHost), or a host with a shell (JobHost). One thread at a time.
class WatchedHost {
  public:
    virtual ~WatchedHost() = default;

    /// Polls all of these jobs in one round trip: their state and message, and new lines of their
    /// event logs, which are then in the jobs' folders here. @returns whether any log has more than
    /// one call reads
    virtual bool poll(std::span<RemoteJob> jobs, const std::stop_token& stop) = 0;
    /// Makes the job end, whether it waits or runs: a later poll() shows that it has.
    virtual void cancel(const RemoteJob& job, const std::stop_token& stop) = 0;
};

}  // namespace gantry
