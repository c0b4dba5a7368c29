#include "app/cli/launch_ranks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/bench/child.h"
#include "core/base/error.h"
#include "core/cluster/local_ranks.h"

namespace gantry {

namespace {

// Of Open MPI 4 and of PRRTE, the launcher of Open MPI 5: more ranks than cores are fine, ranks are
// not bound to one core each, and when one has told what failed nothing more is to be said.
constexpr std::pair<const char*, const char*> kSettings[] = {
    {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
    {"OMPI_MCA_orte_execute_quiet", "1"},
    {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
    {"PRTE_MCA_hwloc_default_binding_policy", "none"},
    {"PRTE_MCA_prte_execute_quiet", "1"},
    // Nor does a rank look for displays: it would end with an X server that does.
    {"HWLOC_COMPONENTS", "-gl"}};

}  // namespace

void checkRanks(int ranks) {
    if (ranks < 1 || ranks > kMostLocalRanks)
        throw InputError(
            fmt::format("--ranks is {}; it must be from 1 to {}.", ranks, kMostLocalRanks));
    if (ranks == 1) return;
    if (const std::string whyNot = whyNoLocalRanks(); !whyNot.empty())
        throw InputError(fmt::format("--ranks is {}. {}", ranks, whyNot));
}

void becomeRanks(int ranks, const std::vector<std::string>& words) {
    std::vector<std::string> all = {kRankLauncher, "-n", std::to_string(ranks),
                                    programPath().string()};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    arguments.reserve(all.size() + 1);
    for (std::string& word : all)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    for (const auto& [name, value] : kSettings)
        ::setenv(name, value, 0);  // what the user has set counts
    // Ctrl+C is the launcher's now.
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::execvp(kRankLauncher, arguments.data());
    throw ResourceError(fmt::format("{} cannot be started: {}.", kRankLauncher,
                                    std::generic_category().message(errno)));
}

}  // namespace gantry
