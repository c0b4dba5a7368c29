#include "core/base/trial_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "core/base/error.h"

namespace gantry {
namespace {

// Signals end the copy, whatever this process has made of them, and no report of it is printed.
void limitThisProcess(const TrialLimits& limits) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
        std::signal(number, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most =
        pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + limits.memoryBytes;
    const rlimit memory = {most, most};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    alarm(static_cast<unsigned>(limits.seconds));
}

}  // namespace

TrialEnd tryInAnotherProcess(const std::function<void()>& work, const TrialLimits& limits) {
    const pid_t child = fork();
    if (child < 0)
        throw ResourceError("The system allows no further process. Close other programs.");
    if (child == 0) {
        limitThisProcess(limits);
        try {
            work();
        } catch (...) {
            // It will be thrown again where it is seen.
        }
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) throw InternalError("a process that was started cannot be waited for");
    if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? TrialEnd::returned : TrialEnd::crashed;
    return WTERMSIG(status) == SIGALRM ? TrialEnd::tookTooLong : TrialEnd::crashed;
}

}  // namespace gantry
