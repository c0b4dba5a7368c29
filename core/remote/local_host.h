#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "core/job/job_status.h"
#include "core/remote/job_host.h"

namespace gantry {

/// A job of this machine itself: its id is its folder.
[[nodiscard]] RemoteJob localJob(const std::filesystem::path& folder);

/// This machine itself. A job lies in its own folder, where its files are already: nothing is
/// brought anywhere, and no remote.json is kept. A process of its own (`gantry worker`) works on
/// it, which goes on when this program ends, and waits for RemoteJob::after before it begins. What
/// the folder says is what counts, whoever works on the job: also another program of this user.
/// Tests: tests/core/remote/local_host_test.cpp, tests/ui/workspace/job_store_test.cpp
class LocalHost final : public JobHost {
  public:
    /// program: the file of gantry. patience: for a worker that was asked to end
    explicit LocalHost(const std::string& program,
                       std::chrono::milliseconds patience = std::chrono::seconds(5));

    [[nodiscard]] const Host& host() const override { return m_host; }
    std::vector<HostFinding> check(const FindingTold& found, const std::stop_token& stop) override;
    void prepare(RemoteJob& job, const std::stop_token& stop) override;
    void stage(HandOver& job, const HostProgress& progress, const std::stop_token& stop) override;
    /// Returns when the worker holds the job, some tenths of a second later, so that jobs which are
    /// submitted one after the other come in this order. stop: ends that wait; the worker goes on.
    /// @throws ResourceError where the program cannot be started
    void submit(RemoteJob& job, const std::stop_token& stop) override;
    /// Does not throw for what is wrong with a job: that is its failure. A folder that is gone
    /// makes it `gone`; one whose disk is away changes nothing, but where the job is to be
    /// cancelled.
    bool look(std::span<RemoteJob> jobs, const std::stop_token& stop) override;
    /// Returns at once: looks ask the worker to end (SIGTERM), kill one that has not in time, and
    /// mark a job that nobody works on.
    void cancel(RemoteJob& job, const std::stop_token& stop) override;
    void fetch(RemoteJob& job, BringBack bring, const HostProgress& progress,
               const std::stop_token& stop) override;

  private:
    // How far the ending of a job's worker has come.
    struct Ending {
        int askedPid = 0;  // the worker that got SIGTERM
        std::chrono::steady_clock::time_point askedAt;
        bool isKilled = false;  // it did not end in time
    };
    void lookAt(RemoteJob& job);
    void end(int worker, Ending& ending) const;

    Host m_host;
    std::chrono::milliseconds m_patience;
    std::map<std::filesystem::path, Ending> m_endings;  // of the jobs that are to be cancelled
};

/// Whether the job's folder was removed. Where a disk is not mounted, what leads to the folder is
/// missing as well, or is empty.
[[nodiscard]] bool isRemoved(const std::filesystem::path& folder);

/// As readJobStatus(); damage is a failure that says what is wrong.
[[nodiscard]] JobStatus statusOrDamage(const std::filesystem::path& folder);

}  // namespace gantry
