#pragma once

#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/job/job_host.h"
#include "core/remote/job/job_logs.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// What all hosts with a POSIX shell share: everything but how a job is started and polled.
class ShellHost : public JobHost {
  public:
    explicit ShellHost(Host host) : m_host(std::move(host)), m_shell(m_host) {}

    [[nodiscard]] const Host& host() const override { return m_host; }
    [[nodiscard]] std::vector<HostFinding> check(const FindingHandler& found,
                                                 const std::stop_token& stop) override;
    void prepare(std::span<HandOver> jobs, const std::stop_token& stop) override;
    bool find(RemoteJob& job, const std::stop_token& stop) override;
    void stage(HandOver& job, const HostProgress& progress, const std::stop_token& stop) override;
    void submit(HandOver& job, const std::stop_token& stop) override;
    void submitArray(std::span<HandOver> jobs, const std::stop_token& stop) override;
    bool poll(std::span<RemoteJob> jobs, const std::stop_token& stop) override;
    void fetch(RemoteJob& job, BringBack bring, const HostProgress& progress,
               const std::stop_token& stop) override;

  protected:
    [[nodiscard]] const HostShell& shell() const { return m_shell; }

    /// What a scheduler calls the job.
    [[nodiscard]] static std::string nameThere(const RemoteJob& job);
    /// The shell function lock: one program at a time starts or ends the job. Those of an array
    /// share a lock, as they are started together. Called in the job's folder.
    [[nodiscard]] static std::string lockFunction(const RemoteJob& job);
    /// The body of a shell function that starts the script $3 of the job's folder $1 under the name
    /// $2, and prints its number. It is called in that folder.
    [[nodiscard]] virtual std::string startScript() const = 0;
    /// A script for the scheduler, run together with reading the jobs' folders.
    [[nodiscard]] virtual std::string question(std::span<const RemoteJob> jobs) const = 0;
    /// Sets the jobs' states and messages from what was found.
    virtual void settle(std::span<RemoteJob> jobs, const LogNews& news) const = 0;

  private:
    [[nodiscard]] JobSpec sendScan(HandOver& job, const HostProgress& progress,
                                   const std::stop_token& stop);
    void sendCheckpoint(const HandOver& over, const HostProgress& progress,
                        const std::stop_token& stop) const;
    [[nodiscard]] std::string submissionScript(const RemoteJob& job, const char* what) const;
    bool readOn(std::span<RemoteJob> jobs, const std::stop_token& stop) const;
    void bringRecords(std::span<const RemoteJob> jobs, bool withPreview,
                      const HostProgress& progress, const std::stop_token& stop) const;

    Host m_host;
    HostShell m_shell;
    std::set<std::string> m_sent;  // folders of data that this has sent: an array may share them
};

}  // namespace gantry
