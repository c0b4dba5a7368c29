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

/// A host that jobs run on. What is done there is remembered in the job's RemoteJob, which the
/// caller keeps: after a break, or the end of this program, all can be called again.
/// One thread at a time; several hosts side by side.
/// @throws HostUnreachable where the connection breaks for longer than is waited, with what to do;
///         InputError, ResourceError naming what the host lacks; Cancelled
/// Tests: tests/cli/test_remote.py,
///        tests/cli/test_remote_faults.py
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
    /// Brings the scan's files there, as job.way says; those that are there already stay.
    /// @returns the job's request with the host's paths
    [[nodiscard]] virtual JobSpec stage(const JobSpec& spec, RemoteJob& job,
                                        const HostProgress& progress,
                                        const std::stop_token& stop) = 0;
    /// Hands the job over; script: what is run there, from batchScript(). The job may have been
    /// run before: then it resumes.
    virtual void submit(const std::string& request, const std::string& script, RemoteJob& job,
                        const std::stop_token& stop) = 0;
    /// Looks at all of these jobs in one round trip: their state and words, and what their event
    /// logs have gained, which is added to those in the jobs' folders here.
    /// @returns whether any log has more than one call reads
    virtual bool look(std::span<RemoteJob> jobs, const std::stop_token& stop) = 0;
    /// Ends the job, if it waits or runs.
    virtual void cancel(RemoteJob& job, const std::stop_token& stop) = 0;
    /// Brings what these jobs' folders hold here, but for previews, in few round trips for all.
    virtual void fetchRecords(std::span<const RemoteJob> jobs, const std::stop_token& stop) = 0;
    /// Brings the job's folder here (preview, plan, report, checkpoint), and the volume as `bring`
    /// says, checked by checksums; goes on where an earlier call was interrupted.
    virtual void fetch(RemoteJob& job, BringBack bring, const HostProgress& progress,
                       const std::stop_token& stop) = 0;
};

/// This machine, one reached by ssh, or a cluster with Slurm.
[[nodiscard]] std::unique_ptr<JobHost> makeJobHost(const Host& host);

}  // namespace gantry
