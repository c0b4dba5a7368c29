#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace gantry {

/// Exit code of a program that an interrupt ended.
inline constexpr int kCancelledExitCode = 130;

/// Converts Ctrl+C (SIGINT), SIGTERM, SIGHUP, and SIGUSR1, which mpirun forwards to its ranks, to a
/// request to stop. It must be made before any other thread starts, so that all of them block these
/// signals, for which one thread waits here. A second signal ends the program at once.
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// For a command that stops by itself within a second. Until this is called, a signal ends the
    /// program at once, which is right for commands that only read.
    [[nodiscard]] std::stop_token token();

  private:
    void wait();

    sigset_t m_signals{};
    std::stop_source m_stop;
    std::atomic<bool> m_cooperative = false;
    std::atomic<bool> m_done = false;
    std::thread m_thread;
};

}  // namespace gantry
