#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/remote/host/host.h"
#include "core/remote/shell/host_files.h"

namespace gantry {

/// The files that a reconstruction of the scan reads, with their names below a folder on a host:
/// they keep their relative paths.
struct ScanFiles {
    std::filesystem::path root;  ///< the deepest folder that contains all of them and the scan's
                                 ///< file
    std::vector<HostFile> files;
    /// Changes when one of them is written again.
    std::string state;
};
/// @throws InputError where there are none
/// Tests: tests/cli/test_remote.py
[[nodiscard]] ScanFiles filesOf(const ScanFile& scan);

/// The request with the files below `folder` on the host.
[[nodiscard]] JobSpec asSent(JobSpec spec, const ScanFiles& files, const std::string& folder);
/// The request with the names that the host has for the same files.
/// @throws InputError naming the folder that the host's map lacks
[[nodiscard]] JobSpec asMapped(JobSpec spec, const Host& host);

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
