#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/job/job_status.h"
#include "core/remote/action/watched_host.h"

namespace gantry {

/// A job of this machine: its id is its folder.
[[nodiscard]] RemoteJob localJob(const std::filesystem::path& folder);

/// This machine. A job lies in its own folder, where its files are already: nothing is copied, and
/// no remote.json is kept. A separate process (`gantry worker`) runs it, which continues when this
/// program ends, and waits for other jobs before it begins. The folder's state is what
/// counts, whoever runs the job, including another program of this user. Tests:
/// tests/core/remote/local_host_test.cpp, tests/ui/workspace/job_store_test.cpp
class LocalHost final : public WatchedHost {
  public:
    /// program: the file of gantry. patience: time for a worker to end when asked
    explicit LocalHost(std::string program,
                       std::chrono::milliseconds patience = std::chrono::seconds(5));

    /// Returns when the worker holds the job, some tenths of a second later, so that jobs that are
    /// started one after the other keep this order. stop: ends that wait; the worker continues.
    /// after: folders of jobs of this machine that must end first
    /// @throws ResourceError if the program cannot be started
    void start(RemoteJob& job, const std::vector<std::filesystem::path>& after,
               const std::stop_token& stop) const;
    /// Does not throw for a faulty job: that is its failure. If its folder is gone, the job becomes
    /// `gone`; if only its disk is away, nothing changes, unless the job is to be cancelled.
    bool poll(std::span<RemoteJob> jobs, const std::stop_token& stop) override;
    /// Returns at once: later calls of poll() ask the worker to end (SIGTERM), kill one that has
    /// not ended in time, and mark a job that nobody runs.
    void cancel(const RemoteJob& job, const std::stop_token& stop) override;

  private:
    // How far ending a job's worker has got.
    struct Ending {
        int askedPid = 0;  // the worker that got SIGTERM
        std::chrono::steady_clock::time_point askedAt;
        bool isKilled = false;  // it did not end in time
    };
    void lookAt(RemoteJob& job);
    void end(int worker, Ending& ending) const;

    std::string m_program;
    std::chrono::milliseconds m_patience;
    std::map<std::filesystem::path, Ending> m_endings;  // of jobs to be cancelled
};

/// Whether the job's folder was removed. If a disk is not mounted, the folders above it are missing
/// too, or empty.
[[nodiscard]] bool isRemoved(const std::filesystem::path& folder);

/// readJobStatus(), but damage is returned as a failure with its description.
[[nodiscard]] JobStatus statusOrDamage(const std::filesystem::path& folder);

}  // namespace gantry
