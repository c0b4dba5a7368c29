#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/remote/host.h"
#include "core/remote/host_shell.h"
#include "core/remote/remote_job.h"

namespace gantry {

/// A line of what a check of a host found.
struct HostFinding {
    std::string what;  ///< "Slurm"
    bool isGood = true;
    std::string found;   ///< "22.05.8, 2 nodes"
    std::string advice;  ///< what to do, where it is not good
};

using FindingTold = std::function<void(const HostFinding&)>;

/// What the work with a host tells while it is under way; any may be missing.
struct HostProgress {
    std::function<void(Index done, Index all)> bytes{};
    std::function<void(const std::string&)> said{};  ///< "The connection broke: ..."
    double patienceSeconds = 60;                     ///< for a connection that breaks to come back
};

/// How a job comes to a host.
struct HandOver {
    RemoteJob job;
    JobSpec spec{};        ///< of this machine; its folder holds it already
    std::string script{};  ///< batchScript(), perhaps edited
};

/// A host that jobs run on: this machine with its jobs in their own folders (LocalHost), one with a
/// POSIX shell here or by ssh, or one with Slurm. What is done there is remembered in the job's
/// RemoteJob; but for jobs of LocalHost it is kept in the job's folder after every step, so that
/// all can be called again after a break or the end of this program.
/// One thread at a time; several hosts side by side.
/// @throws HostUnreachable where the connection breaks for longer than is waited, with what to do;
///         InputError, ResourceError naming what the host lacks; Cancelled
/// Tests: tests/cli/test_remote.py, tests/cli/test_remote_faults.py,
///        tests/core/remote/local_host_test.cpp
class JobHost {
  public:
    virtual ~JobHost() = default;

    [[nodiscard]] virtual const Host& host() const = 0;
    /// Everything that a job needs of the host, line by line. found: told each as soon as it is
    /// known, in the thread of the call; may be missing
    virtual std::vector<HostFinding> check(const FindingTold& found,
                                           const std::stop_token& stop) = 0;
    /// Makes the job's folder there (job.place), where gantry of a fitting version is found.
    virtual void prepare(RemoteJob& job, const std::stop_token& stop) = 0;
    /// Brings there what the job reads and is not there yet: the scan's files, as job.way says,
    /// what an earlier run of it has finished, and its request with the host's paths.
    virtual void stage(HandOver& job, const HostProgress& progress,
                       const std::stop_token& stop) = 0;
    /// Starts the job, which was staged, or has it wait for its turn. It may have been run before:
    /// then it resumes.
    virtual void submit(RemoteJob& job, const std::stop_token& stop) = 0;
    /// Looks at all of these jobs in one round trip: their state and words, and what their event
    /// logs have gained, which is then in the jobs' folders here. Of those that have ended since,
    /// what they left beside the volume is here as well, and their words tell how to go on.
    /// @returns whether any log has more than one call reads
    virtual bool look(std::span<RemoteJob> jobs, const std::stop_token& stop) = 0;
    /// Ends the job, if it waits or runs; a look tells when it has.
    virtual void cancel(RemoteJob& job, const std::stop_token& stop) = 0;
    /// Brings the job's folder here (preview, plan, report, checkpoint), and the volume as `bring`
    /// says, checked by checksums; goes on where an earlier call was interrupted.
    virtual void fetch(RemoteJob& job, BringBack bring, const HostProgress& progress,
                       const std::stop_token& stop) = 0;
};

/// Of a host's file: a machine with a shell, here or reached by ssh, or a cluster with Slurm.
[[nodiscard]] std::unique_ptr<JobHost> makeJobHost(const Host& host);

}  // namespace gantry
