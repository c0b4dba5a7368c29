#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

#include "core/base/trial_process.h"

namespace gantry {

/// The exit code of a program that a signal to stop has ended.
inline constexpr int kCancelledExitCode = 130;

/// Converts Ctrl+C (SIGINT), SIGTERM, SIGHUP, and SIGUSR1, which mpirun forwards to its ranks, to a
/// request to stop. All threads block these signals, and a thread of this object waits for them; so
/// the object must be made before any other thread starts. A second signal ends the program at
/// once. Trials of files that the making thread starts end with the request, too.
/// Tests: tests/app/interrupt_test.cpp, tests/cli/test_interrupt.py
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// The token of the request to stop, for a command that polls it and ends within a second.
    /// Until this is called, a signal ends the program at once, which is right for commands that
    /// only read.
    [[nodiscard]] std::stop_token token();

  private:
    void wait();

    sigset_t m_signals{};
    std::stop_source m_stop;
    TrialStop m_trialStop{m_stop.get_token()};
    std::atomic<bool> m_cooperative = false;  // whether token() was called
    std::atomic<bool> m_done = false;         // whether the object is being destroyed
    std::thread m_thread;
};

}  // namespace gantry
