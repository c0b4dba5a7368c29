#pragma once

#include "core/remote/scheduler/shell_host.h"

namespace gantry {

/// A machine where the job's script is a process of its own, which continues when the connection
/// ends. Jobs run one after the other.
class DetachedHost final : public ShellHost {
  public:
    using ShellHost::ShellHost;
    void cancel(RemoteJob& job, const std::stop_token& stop) override;

  private:
    [[nodiscard]] std::string startScript() const override;
    [[nodiscard]] std::string question(std::span<const RemoteJob> jobs) const override;
    void settle(std::span<RemoteJob> jobs, const LogNews& news) const override;
};

}  // namespace gantry
