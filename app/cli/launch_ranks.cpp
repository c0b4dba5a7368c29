#include "app/cli/launch_ranks.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "app/bench/child.h"
#include "app/cli/interrupt.h"
#include "core/base/clock.h"
#include "core/base/throw_error.h"
#include "core/cluster/local_ranks.h"

namespace gantry {

namespace {

// Settings of Open MPI 4 and of PRRTE, the launcher of Open MPI 5. They allow more ranks than
// cores, bind no rank to a single core, and suppress the launcher's own messages after a rank has
// reported a failure.
constexpr std::pair<const char*, const char*> kSettings[] = {
    {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
    {"OMPI_MCA_orte_execute_quiet", "1"},
    {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
    {"PRTE_MCA_hwloc_default_binding_policy", "none"},
    {"PRTE_MCA_prte_execute_quiet", "1"},
    // Keeps hwloc in the ranks from connecting to an X server: a rank would end when the server
    // does.
    {"HWLOC_COMPONENTS", "-gl"}};

// Runs in the forked process, where only async-signal-safe functions may be called, and becomes the
// launcher. The launcher gets SIGTERM when this process dies. It is in a process group of its own,
// so that Ctrl+C in the terminal reaches only this process, which forwards it.
[[noreturn]] void becomeLauncher(char* const* arguments, pid_t parent) {
    constexpr int kNoProgram = 127;
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The parent may have died before the call above.
    if (::getppid() != parent) ::_exit(kNoProgram);
    // A process in the background would be stopped if it read from the terminal.
    const int nullDevice = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nullDevice, STDIN_FILENO);
    sigset_t noSignals;
    ::sigemptyset(&noSignals);
    ::pthread_sigmask(SIG_SETMASK, &noSignals, nullptr);
    ::execvp(kRankLauncher, arguments);
    ::_exit(kNoProgram);
}

pid_t startLauncher(std::vector<std::string>& words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t launcher = ::fork();
    if (launcher == 0) becomeLauncher(arguments.data(), parent);
    if (launcher < 0)
        throwError<ResourceError>("{} cannot be started: {}.", kRankLauncher,
                                  std::generic_category().message(errno));
    return launcher;
}

// Waits for the launcher's end and returns its exit code. On a request to stop it sends SIGUSR1,
// which launchers forward to all ranks, and these end by themselves. If that takes too long, it
// sends SIGTERM: the launcher then kills the remaining ranks after a second and ends a second
// later.
int waitForLauncher(pid_t launcher, const std::stop_token& stop) {
    constexpr double kGraceSeconds = 3;
    constexpr auto kBetweenPolls = std::chrono::milliseconds(5);
    std::optional<std::int64_t> stopRequestedNs;
    bool isTerminated = false;
    int status = 0;
    while (::waitpid(launcher, &status, WNOHANG) == 0) {
        if (stop.stop_requested() && !stopRequestedNs) {
            stopRequestedNs = nowNs();
            ::kill(launcher, SIGUSR1);
        } else if (stopRequestedNs && !isTerminated &&
                   secondsSince(*stopRequestedNs) > kGraceSeconds) {
            isTerminated = true;
            ::kill(launcher, SIGTERM);
        }
        std::this_thread::sleep_for(kBetweenPolls);
    }
    if (stop.stop_requested()) return kCancelledExitCode;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

void checkRanks(int ranks) {
    if (ranks < 1 || ranks > kMaxLocalRanks)
        throwError<InputError>("--ranks is {}; it must be from 1 to {}.", ranks, kMaxLocalRanks);
    if (ranks == 1) return;
    if (const std::string whyNot = whyNoLocalRanks(); !whyNot.empty())
        throwError<InputError>("--ranks is {}. {}", ranks, whyNot);
}

int runRanks(int ranks, const std::vector<std::string>& words, const std::stop_token& stop) {
    std::vector<std::string> command = {kRankLauncher, "-n", std::to_string(ranks),
                                        programPath().string()};
    command.insert(command.end(), words.begin(), words.end());
    for (const auto& [name, value] : kSettings)
        ::setenv(name, value, 0);  // does not replace a value that the user has set
    return waitForLauncher(startLauncher(command), stop);
}

}  // namespace gantry
