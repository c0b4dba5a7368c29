#pragma once

#include <set>
#include <span>
#include <stop_token>
#include <string>

#include "core/plan/job_spec.h"
#include "core/remote/action/watched_host.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// Everything needed to put a job on a host.
struct HandOver {
    RemoteJob job;
    JobSpec spec{};        ///< with paths of this machine; the job's folder contains it already
    std::string script{};  ///< batchScript(), perhaps edited
    /// With the host's paths: see JobHost::stage(). Empty: the host has it, and the script,
    /// already.
    std::string request{};
};

/// The steps of a job on a host: a machine with a POSIX shell, here or reached by ssh, with or
/// without a scheduler. What is known of the job there is in its RemoteJob, and in its folder
/// there, so that all calls can be repeated after a break, or the end of this program or of the
/// host. See job_actions.h for what is done with them. One thread at a time; several hosts may be
/// used in parallel.
/// @throws HostUnreachable if the connection breaks for longer than the patience, with what to do;
///         InputError, ResourceError naming what the host lacks; Cancelled
/// Tests: tests/cli/test_remote.py, tests/cli/test_remote_faults.py
class JobHost final : public WatchedHost {
  public:
    explicit JobHost(const Host& host) : m_shell(host) {}

    [[nodiscard]] const Host& host() const { return m_shell.host(); }
    /// Creates the jobs' folders there (job.place) and finds a gantry of a fitting version.
    void prepare(std::span<HandOver> jobs, const std::stop_token& stop) const;
    /// Looks in the queue, and in the job's folder there, for a run that this machine does not know
    /// of because the answer was lost. If there is one, the job is waiting and has its number.
    bool find(RemoteJob& job, const std::stop_token& stop) const;
    /// Sends what the job reads and is not there yet: the scan's files, depending on job.way, and
    /// the results of an earlier run. Makes HandOver::request.
    void stage(HandOver& over, const HostProgress& progress, const std::stop_token& stop);
    /// Starts the staged jobs, or queues them, unless find() finds them. One that has been run
    /// before resumes. Several are an array: a scheduler gets them at once, and other hosts one
    /// after the other.
    void submit(std::span<HandOver> jobs, const std::stop_token& stop) const;
    /// After find() for lost jobs. For jobs that have ended since, the files beside the volume are
    /// here as well, and their message states how to resume.
    bool poll(std::span<RemoteJob> jobs, const std::stop_token& stop) override;
    /// Whether or not the job's number is known. The job's folder there keeps that this was asked
    /// for: any later poll() reports the job as cancelled when it has ended, however it does,
    /// unless it is done by then.
    void cancel(const RemoteJob& job, const std::stop_token& stop) override;
    /// Fetches the files in the jobs' folders (plan, report, checkpoint, preview), verified by
    /// checksums; resumes where an earlier call was interrupted.
    void fetchRecords(std::span<const RemoteJob> jobs, bool withPreview,
                      const HostProgress& progress, const std::stop_token& stop) const;
    /// The same for the volume, or what is made of it.
    void fetchVolume(RemoteJob& job, const HostProgress& progress,
                     const std::stop_token& stop) const;

  private:
    [[nodiscard]] JobSpec sendScan(HandOver& over, const HostProgress& progress,
                                   const std::stop_token& stop);
    void sendCheckpoint(const HandOver& over, const HostProgress& progress,
                        const std::stop_token& stop) const;
    void submitOne(HandOver& over, const std::stop_token& stop) const;
    void submitArray(std::span<HandOver> jobs, const std::stop_token& stop) const;
    bool readOn(std::span<RemoteJob> jobs, const std::stop_token& stop) const;

    HostShell m_shell;
    std::set<std::string> m_sent;  // folders of data that this has sent: an array may share them
};

}  // namespace gantry
