#pragma once

#include <filesystem>
#include <vector>

#include "core/remote/send_files.h"

namespace gantry {

/// The files that an earlier run of the job has finished, with their names below the job's folder
/// on a host; none if nothing is finished. output: the volume's name Tests:
/// tests/cli/test_remote.py
[[nodiscard]] std::vector<LocalFile> checkpointFiles(const std::filesystem::path& folder,
                                                     const std::filesystem::path& output);

}  // namespace gantry
