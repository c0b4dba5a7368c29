#include "core/cluster/local_ranks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

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

}  // namespace

std::string whyNoLocalRanks() {
    if (*whyNoMpi() != '\0') return whyNoMpi();
    if (isOnPath(kRankLauncher)) return {};
    return fmt::format("{} is not installed. Install Open MPI (openmpi-bin).", kRankLauncher);
}

}  // namespace gantry
