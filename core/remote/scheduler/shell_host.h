#pragma once

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
    void prepare(RemoteJob& job, const std::stop_token& stop) override;
    bool find(RemoteJob& job, const std::stop_token& stop) override;
    void stage(HandOver& job, const HostProgress& progress, const std::stop_token& stop) override;
    void submit(HandOver& job, const std::stop_token& stop) override;
    bool poll(std::span<RemoteJob> jobs, const std::stop_token& stop) override;
    void fetch(RemoteJob& job, BringBack bring, const HostProgress& progress,
               const std::stop_token& stop) override;

  protected:
    [[nodiscard]] const HostShell& shell() const { return m_shell; }

    /// What a scheduler calls the job.
    [[nodiscard]] static std::string nameThere(const RemoteJob& job);
    /// The body of a shell function that starts $1/job.sh under the name $2, in the job's folder,
    /// and prints its number.
    [[nodiscard]] virtual std::string startScript() const = 0;
    /// A script for the scheduler, run together with reading the jobs' folders.
    [[nodiscard]] virtual std::string question(std::span<const RemoteJob> jobs) const = 0;
    /// Sets the jobs' states and messages from what was found.
    virtual void settle(std::span<RemoteJob> jobs, const LogNews& news) const = 0;

  private:
    [[nodiscard]] JobSpec sendScan(HandOver& job, const HostProgress& progress,
                                   const std::stop_token& stop) const;
    void sendCheckpoint(const HandOver& over, const HostProgress& progress,
                        const std::stop_token& stop) const;
    bool takeNumber(RemoteJob& job, const ShellAnswer& answer) const;
    bool readOn(std::span<RemoteJob> jobs, const std::stop_token& stop) const;
    void bringRecords(std::span<const RemoteJob> jobs, bool withPreview,
                      const HostProgress& progress, const std::stop_token& stop) const;

    Host m_host;
    HostShell m_shell;
};

}  // namespace gantry
