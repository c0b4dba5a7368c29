#include "app/cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace gantry {

namespace {

[[noreturn]] void leaveAtOnce() {
    constexpr std::string_view kText = "\ngantry: cancelled\n";
    (void)!::write(STDERR_FILENO, kText.data(), kText.size());
    std::_Exit(kCancelledExitCode);
}

}  // namespace

Interrupt::Interrupt() {
    sigemptyset(&m_signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
        sigaddset(&m_signals, signal);
    pthread_sigmask(SIG_BLOCK, &m_signals, nullptr);
    m_thread = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
    m_done = true;
    // Every thread blocks it; the waiting one receives it as a message and is not killed.
    pthread_kill(m_thread.native_handle(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread)
    m_thread.join();
}

std::stop_token Interrupt::token() {
    m_cooperative = true;
    return m_stop.get_token();
}

void Interrupt::wait() {
    while (true) {
        int signal = 0;
        sigwait(&m_signals, &signal);
        if (m_done) return;
        if (!m_cooperative || m_stop.stop_requested()) leaveAtOnce();
        m_stop.request_stop();
    }
}

}  // namespace gantry
