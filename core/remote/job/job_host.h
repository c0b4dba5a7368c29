#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/remote/host/host.h"
#include "core/remote/job/remote_job.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// One line of the result of checking a host.
struct HostFinding {
    std::string what;  ///< "Slurm"
    bool isGood = true;
    std::string found;   ///< "22.05.8, 2 nodes"
    std::string advice;  ///< what to do if it is not good
};

using FindingHandler = std::function<void(const HostFinding&)>;

/// Callbacks for progress of the work with a host; any may be empty.
struct HostProgress {
    std::function<void(Index done, Index all)> bytes{};
    std::function<void(const std::string&)> onNotice{};  ///< "The connection broke: ..."
    /// Whole sentences: files that are not fetched, a wait for another job.
    std::function<void(const std::string&)> onRemark{};
    double patienceSeconds = 60;  ///< to wait for a broken connection
};

/// Everything needed to put a job on a host.
struct HandOver {
    RemoteJob job;
    JobSpec spec{};        ///< with paths of this machine; the job's folder contains it already
    std::string script{};  ///< batchScript(), perhaps edited
    /// With the host's paths: see JobHost::stage(). Empty: the host has it, and the script,
    /// already.
    std::string request{};
};

/// A host that jobs run on: this machine with its jobs in their own folders (LocalHost), one with a
/// POSIX shell here or by ssh, or one with Slurm. What is known of the job there is in its
/// RemoteJob, and in its folder there, so that all calls can be repeated after a break, or the end
/// of this program or of the host. See core/remote/action/job_actions.h for what is done with them.
/// One thread at a time; several hosts may be used in parallel.
/// @throws HostUnreachable if the connection breaks for longer than the patience, with what to do;
///         InputError, ResourceError naming what the host lacks; Cancelled
/// Tests: tests/cli/test_remote.py, tests/cli/test_remote_faults.py,
///        tests/core/remote/local_host_test.cpp
class JobHost {
  public:
    virtual ~JobHost() = default;

    [[nodiscard]] virtual const Host& host() const = 0;
    /// Checks everything that a job needs of the host, line by line. found: called with each
    /// finding as soon as it is known, in the calling thread; may be empty
    virtual std::vector<HostFinding> check(const FindingHandler& found,
                                           const std::stop_token& stop) = 0;
    /// Creates the jobs' folders there (job.place) and finds a gantry of a fitting version.
    virtual void prepare(std::span<HandOver> jobs, const std::stop_token& stop) = 0;
    /// Looks in the queue, and in the job's folder there, for a run that this machine does not know
    /// of because the answer was lost. If there is one, the job is waiting and has its number.
    virtual bool find(RemoteJob& job, const std::stop_token& stop) = 0;
    /// Sends what the job reads and is not there yet: the scan's files, depending on job.way, and
    /// the results of an earlier run. Makes HandOver::request.
    virtual void stage(HandOver& job, const HostProgress& progress,
                       const std::stop_token& stop) = 0;
    /// Starts the staged job, or queues it, unless find() finds it. If it has been run before, it
    /// resumes.
    virtual void submit(HandOver& job, const std::stop_token& stop) = 0;
    /// The same for all jobs of an array: a scheduler gets them at once, and other hosts one after
    /// the other. What has been started is left alone.
    virtual void submitArray(std::span<HandOver> jobs, const std::stop_token& stop) {
        for (HandOver& each : jobs)
            if (each.job.state == RemoteState::preparing) submit(each, stop);
    }
    /// Polls all of these jobs in one round trip, after find() for lost ones: their state and
    /// message, and new lines of their event logs, which are then in the jobs' folders here. For
    /// jobs that have ended since, the files beside the volume are here as well, and their message
    /// states how to resume.
    /// @returns whether any log has more than one call reads
    virtual bool poll(std::span<RemoteJob> jobs, const std::stop_token& stop) = 0;
    /// Ends the job, whether it waits or runs, and whether or not its number is known. The job's
    /// folder there keeps that this was asked for: any later poll() reports the job as cancelled
    /// when it has ended, however it does, unless it is done by then.
    virtual void cancel(RemoteJob& job, const std::stop_token& stop) = 0;
    /// Fetches the job's folder (preview, plan, report, checkpoint), and the volume depending on
    /// `bring`, verified by checksums; resumes where an earlier call was interrupted.
    virtual void fetch(RemoteJob& job, BringBack bring, const HostProgress& progress,
                       const std::stop_token& stop) = 0;
};

/// Max calls of JobHost::poll() without a pause while logs have more: a host may state that for
/// ever.
constexpr int kMaxPollsInARow = 16;

/// Makes the host of a host's file: a machine with a shell, here or reached by ssh, or a cluster
/// with Slurm.
[[nodiscard]] std::unique_ptr<JobHost> makeJobHost(const Host& host);

}  // namespace gantry
