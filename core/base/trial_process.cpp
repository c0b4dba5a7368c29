#include "core/base/trial_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <fstream>
#include <new>
#include <optional>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace gantry {
namespace {

constexpr std::size_t kMaxSentenceBytes = 4000;
constexpr std::size_t kMaxSentBytes = std::size_t{64} << 20;

// What holds for the trials that this thread begins.
struct TrialsOfThread {
    std::stop_token stop;
    int budgets = 0;
    double leftSeconds = 0;  // of the outermost budget
};

TrialsOfThread& trialsOfThisThread() {
    thread_local TrialsOfThread trials;
    return trials;
}

// Restores the default effect of signals, which end the copy, and suppresses crash reports.
void limitThisProcess(const TrialLimits& limits) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU})
        std::signal(number, SIG_DFL);
    sigset_t deadly;
    sigemptyset(&deadly);
    for (const int number : {SIGALRM, SIGXCPU})
        sigaddset(&deadly, number);
    sigprocmask(SIG_UNBLOCK, &deadly, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t max = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + limits.memoryBytes;
    const rlimit memory = {max, max};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    if (limits.cpuSeconds > 0) {
        const auto seconds = static_cast<rlim_t>(limits.cpuSeconds);
        const rlimit processor = {seconds, seconds + 1};
        setrlimit(RLIMIT_CPU, &processor);
    }
    alarm(static_cast<unsigned>(limits.seconds));
}

class Pipe {
  public:
    Pipe() {
        if (pipe2(m_ends.data(), O_CLOEXEC) != 0)
            throw ResourceError("The system allows no further pipe. Close other programs.");
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        for (const int end : m_ends)
            if (end >= 0) close(end);
    }

    [[nodiscard]] int reader() const { return m_ends[0]; }
    void closeWriter() { close(std::exchange(m_ends[1], -1)); }
    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t put = write(m_ends[1], bytes.data(), bytes.size());
            if (put < 0 && errno == EINTR) continue;
            if (put <= 0) return;
            bytes.remove_prefix(put);
        }
    }

  private:
    std::array<int, 2> m_ends{};
};

// A copy that works. It is killed if this ends before.
class Copy {
  public:
    Copy(const std::function<void(const TrialSend&)>& work, const TrialLimits& limits)
        : m_child(fork()) {
        if (m_child < 0)
            throw ResourceError("The system allows no further process. Close other programs.");
        if (m_child == 0) {
            limitThisProcess(limits);
            workAndLeave(work);
        }
        m_pipe.closeWriter();
        fcntl(m_pipe.reader(), F_SETFL, O_NONBLOCK);
    }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    ~Copy() {
        if (m_status) return;
        kill(m_child, SIGKILL);
        while (waitpid(m_child, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    TrialAnswer answer(const std::stop_token& stop) {
        TrialAnswer answer;
        while (!m_status) {
            take(answer.sent);
            int status = 0;
            rusage used{};
            const pid_t ended = wait4(m_child, &status, WNOHANG, &used);
            if (ended == m_child)
                m_cpuSeconds = secondsOf(used.ru_utime) + secondsOf(used.ru_stime);
            if (ended == m_child) m_status = status;
            if (ended < 0 && errno != EINTR)
                throw InternalError("a process that was started cannot be waited for");
            if (m_status) break;
            if (stop.stop_requested()) throw Cancelled();
            wait();
        }
        take(answer.sent);  // what came between the last look and the end
        answer.end = endOf(*m_status);
        return answer;
    }

    // Known after answer().
    [[nodiscard]] double cpuSeconds() const { return m_cpuSeconds; }

  private:
    static double secondsOf(const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
    [[noreturn]] void workAndLeave(const std::function<void(const TrialSend&)>& work) {
        try {
            work([this](std::string_view bytes) { m_pipe.send(bytes); });
        } catch (const std::bad_alloc&) {
            _exit(1);
        } catch (...) {
            // The error will be thrown again when the work is done in this process.
        }
        _exit(0);
    }
    // The pipe closes when the copy ends, which is the usual reason to go on.
    void wait() {
        pollfd ready = {m_isOpen ? m_pipe.reader() : -1, POLLIN, 0};
        (void)poll(&ready, 1, m_isOpen ? 50 : 1);
    }
    void take(std::string& sent) {
        std::array<char, 65'536> piece;
        while (m_isOpen) {
            const ssize_t got = read(m_pipe.reader(), piece.data(), piece.size());
            if (got < 0 && errno == EINTR) continue;
            if (got == 0) m_isOpen = false;
            if (got <= 0) return;
            if (sent.size() < kMaxSentBytes)
                sent.append(piece.data(), static_cast<std::size_t>(got));
        }
    }
    static TrialEnd endOf(int status) {
        if (WIFEXITED(status))
            return WEXITSTATUS(status) == 0 ? TrialEnd::returned : TrialEnd::crashed;
        const int signal = WTERMSIG(status);
        // The processor's hard limit kills.
        return signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL ? TrialEnd::tookTooLong
                                                                           : TrialEnd::crashed;
    }

    Pipe m_pipe;
    pid_t m_child;
    bool m_isOpen = true;
    std::optional<int> m_status;
    double m_cpuSeconds = 0;
};

}  // namespace

TrialAnswer askAnotherProcess(const std::function<void(const TrialSend&)>& work,
                              const TrialLimits& limits) {
    constexpr double kUsualSeconds = 1;
    TrialsOfThread& trials = trialsOfThisThread();
    TrialLimits left = limits;
    if (trials.budgets > 0) {
        if (trials.leftSeconds <= 0) return {TrialEnd::notTried, {}};
        const auto whole = static_cast<int>(std::ceil(trials.leftSeconds));
        left.seconds = std::min(limits.seconds, 6 * whole);
        if (limits.cpuSeconds > 0) left.cpuSeconds = std::min(limits.cpuSeconds, whole);
    }
    const std::int64_t begin = nowNs();
    Copy copy(work, left);
    TrialAnswer answer = copy.answer(trials.stop);
    if (answer.end == TrialEnd::tookTooLong)
        trials.leftSeconds -= secondsSince(begin);
    else if (copy.cpuSeconds() > kUsualSeconds)
        trials.leftSeconds -= copy.cpuSeconds();
    return answer;
}

TrialEnd tryInAnotherProcess(const std::function<void()>& work, const TrialLimits& limits) {
    const auto sendErrors = [&](const TrialSend& send) {
        try {
            work();
        } catch (const InputError& error) {
            send(static_cast<char>(error.code()) +
                 error.message().substr(0, kMaxSentenceBytes - 1));
        }
    };
    const TrialAnswer answer = askAnotherProcess(sendErrors, limits);
    if (answer.sent.size() >= 2)
        throw InputError(answer.sent.substr(1),
                         {.code = static_cast<ErrorCode>(answer.sent.front())});
    return answer.end;
}

TrialStop::TrialStop(std::stop_token token)
    : m_before(std::exchange(trialsOfThisThread().stop, std::move(token))) {}

TrialStop::~TrialStop() {
    trialsOfThisThread().stop = std::move(m_before);
}

TrialBudget::TrialBudget(int seconds) {
    TrialsOfThread& trials = trialsOfThisThread();
    if (trials.budgets++ == 0) trials.leftSeconds = seconds;
}

TrialBudget::~TrialBudget() {
    --trialsOfThisThread().budgets;
}

}  // namespace gantry
