#pragma once

#include <filesystem>
#include <vector>

#include "core/remote/shell/host_files.h"

namespace gantry {

/// What an earlier run of a job has finished.
struct CheckpointFiles {
    std::vector<HostFile> ofJob;     ///< below the job's folder
    std::vector<HostFile> ofVolume;  ///< the unfinished volume, below the folder of the volume
};
/// None if nothing is finished. output: the volume's name
/// Tests: tests/cli/test_remote.py
[[nodiscard]] CheckpointFiles checkpointFiles(const std::filesystem::path& folder,
                                              const std::filesystem::path& output);

}  // namespace gantry
