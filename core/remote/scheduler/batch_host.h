#pragma once

#include "core/remote/scheduler/batch_system.h"
#include "core/remote/scheduler/shell_host.h"

namespace gantry {

/// A cluster whose jobs a scheduler starts.
class BatchHost final : public ShellHost {
  public:
    explicit BatchHost(const Host& host) : ShellHost(host), m_system(batchSystem(host.scheduler)) {}
    void cancel(RemoteJob& job, const std::stop_token& stop) override;

  private:
    [[nodiscard]] std::string startScript() const override;
    [[nodiscard]] std::string question(std::span<const RemoteJob> jobs) const override;
    void settle(std::span<RemoteJob> jobs, const LogNews& news) const override;

    const BatchSystem& m_system;
};

}  // namespace gantry
