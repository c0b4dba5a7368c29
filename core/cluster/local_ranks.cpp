#include "core/cluster/local_ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/cluster/mpi/mpi_communicator.h"

namespace gantry {

namespace {

bool isOnPath(const char* program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
    return false;
}

bool isRefusedAsRoot() {
    const std::vector<const char*> variables = variablesForRoot();
    return ::geteuid() == 0 &&
           std::any_of(variables.begin(), variables.end(), [](const char* variable) {
               const char* const value = std::getenv(variable);
               return !value || std::string_view(value) != "1";
           });
}

}  // namespace

std::string whyRanksAreApart(int ranks) {
    // Processes that mpirun starts have the variables of the step that started mpirun's helpers.
    if (ranks > 1 || std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return {};
    const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
    if (!tasks || std::atoi(tasks) < 2) return {};
    return fmt::format(
        "srun has started {} processes of the job, but MPI does not connect them, so each would "
        "make the whole volume. Start them with an MPI that both know, as srun --mpi=pmix does; "
        "srun --mpi=list tells which there are, and a host's file names it in batch.launcher.",
        std::atoi(tasks));
}

std::string whyNoLocalRanks() {
    if (*whyNoMpi() != '\0') return whyNoMpi();
    if (!isOnPath(kRankLauncher))
        return fmt::format("{} is not installed. Install Open MPI (openmpi-bin).", kRankLauncher);
    return isRefusedAsRoot()
               ? fmt::format(
                     "{} starts no processes for root. Run this as another user, or, as in "
                     "a container, with {}=1.",
                     kRankLauncher, fmt::join(variablesForRoot(), "=1 and "))
               : "";
}

}  // namespace gantry
