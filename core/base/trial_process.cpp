#include "core/base/trial_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <new>
#include <string>

#include "core/base/error.h"

namespace gantry {
namespace {

// Restores the default effect of signals, which end the copy, and suppresses crash reports.
void limitThisProcess(const TrialLimits& limits) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
        std::signal(number, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t max = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + limits.memoryBytes;
    const rlimit memory = {max, max};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    alarm(static_cast<unsigned>(limits.seconds));
}

// The copy's error of the user, if any, sent before it ends.
class Sentence {
  public:
    Sentence() {
        if (pipe2(m_ends.data(), O_CLOEXEC) != 0)
            throw ResourceError("The system allows no further pipe. Close other programs.");
    }
    Sentence(const Sentence&) = delete;
    Sentence& operator=(const Sentence&) = delete;
    ~Sentence() {
        for (const int end : m_ends)
            close(end);
    }

    void say(const InputError& error) const {
        const std::string text =
            static_cast<char>(error.code()) + error.message().substr(0, kMaxBytes - 1);
        [[maybe_unused]] const ssize_t written = write(m_ends[1], text.data(), text.size());
    }
    // Called once the copy has ended. Its children, if any, may still hold their end of the pipe.
    void throwIfSaid() const {
        fcntl(m_ends[0], F_SETFL, O_NONBLOCK);
        std::string text(kMaxBytes, '\0');
        const ssize_t length = read(m_ends[0], text.data(), text.size());
        if (length < 2) return;
        text.resize(static_cast<std::size_t>(length));
        throw InputError(text.substr(1), {.code = static_cast<ErrorCode>(text.front())});
    }

  private:
    static constexpr std::size_t kMaxBytes = 4000;  // less than a pipe takes without a reader
    std::array<int, 2> m_ends{};
};

}  // namespace

TrialEnd tryInAnotherProcess(const std::function<void()>& work, const TrialLimits& limits) {
    const Sentence sentence;
    const pid_t child = fork();
    if (child < 0)
        throw ResourceError("The system allows no further process. Close other programs.");
    if (child == 0) {
        limitThisProcess(limits);
        try {
            work();
        } catch (const InputError& error) {
            sentence.say(error);
        } catch (const std::bad_alloc&) {
            _exit(1);
        } catch (...) {
            // The error will be thrown again when the work is done in this process.
        }
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) throw InternalError("a process that was started cannot be waited for");
    sentence.throwIfSaid();
    if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? TrialEnd::returned : TrialEnd::crashed;
    return WTERMSIG(status) == SIGALRM ? TrialEnd::tookTooLong : TrialEnd::crashed;
}

}  // namespace gantry
