#include "app/cli/launch_ranks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/bench/child.h"
#include "app/cli/interrupt.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/cluster/local_ranks.h"

namespace gantry {

namespace {

// Settings of Open MPI 4 and of PRRTE, the launcher of Open MPI 5: more ranks than cores are
// allowed, ranks are not bound to one core each, and after one has reported a failure nothing else
// is printed.
constexpr std::pair<const char*, const char*> kSettings[] = {
    {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
    {"OMPI_MCA_orte_execute_quiet", "1"},
    {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
    {"PRTE_MCA_hwloc_default_binding_policy", "none"},
    {"PRTE_MCA_prte_execute_quiet", "1"},
    // Ranks must not look for displays either: a rank would end with an X server.
    {"HWLOC_COMPONENTS", "-gl"}};

// Runs in the new process, where little is allowed before the program starts, and ends with this
// one. Ctrl+C, which goes to all of a terminal's group, is handled by this process, which forwards
// it.
[[noreturn]] void becomeLauncher(char* const* arguments, pid_t parent) {
    constexpr int kNoProgram = 127;
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(kNoProgram);
    // A process outside of the terminal's foreground is stopped when it reads from the terminal.
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::execvp(kRankLauncher, arguments);
    ::_exit(kNoProgram);
}

pid_t start(std::vector<std::string>& words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t own = ::getpid();
    const pid_t launcher = ::fork();
    if (launcher == 0) becomeLauncher(arguments.data(), own);
    if (launcher < 0)
        throw ResourceError(fmt::format("{} cannot be started: {}.", kRankLauncher,
                                        std::generic_category().message(errno)));
    return launcher;
}

// Launchers forward this signal to all ranks, which end by themselves. A launcher that is asked to
// end kills the remaining ranks a second later, and takes another second itself.
int endOf(pid_t launcher, const std::stop_token& stop) {
    constexpr double kPatienceSeconds = 3;
    constexpr auto kBetweenPolls = std::chrono::milliseconds(5);
    std::optional<std::int64_t> askedNs;
    bool isEnded = false;
    int status = 0;
    while (::waitpid(launcher, &status, WNOHANG) == 0) {
        if (stop.stop_requested() && !askedNs) {
            askedNs = nowNs();
            ::kill(launcher, SIGUSR1);
        } else if (askedNs && !isEnded && secondsSince(*askedNs) > kPatienceSeconds) {
            isEnded = true;
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
        throw InputError(
            fmt::format("--ranks is {}; it must be from 1 to {}.", ranks, kMaxLocalRanks));
    if (ranks == 1) return;
    if (const std::string whyNot = whyNoLocalRanks(); !whyNot.empty())
        throw InputError(fmt::format("--ranks is {}. {}", ranks, whyNot));
}

int runRanks(int ranks, const std::vector<std::string>& words, const std::stop_token& stop) {
    std::vector<std::string> all = {kRankLauncher, "-n", std::to_string(ranks),
                                    programPath().string()};
    all.insert(all.end(), words.begin(), words.end());
    for (const auto& [name, value] : kSettings)
        ::setenv(name, value, 0);  // a value that the user has set is kept
    return endOf(start(all), stop);
}

}  // namespace gantry
