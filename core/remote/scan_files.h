#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/remote/host.h"
#include "core/remote/send_files.h"

namespace gantry {

/// The files that a reconstruction of the scan reads, with the names that they get below a folder
/// on a host: as they lie to each other here.
struct ScanFiles {
    std::filesystem::path root;  ///< the deepest folder that has all of them and the scan's own
    std::vector<LocalFile> files;
    /// Changes when one of them is written again.
    std::string state;
};
/// @throws InputError where there are none
/// Tests: tests/cli/test_remote.py
[[nodiscard]] ScanFiles filesOf(const ScanFile& scan);

/// The request where the files lie below `folder` on the host.
[[nodiscard]] JobSpec asSent(JobSpec spec, const ScanFiles& files, const std::string& folder);
/// The request where the host sees the same files by other names.
/// @throws InputError naming the folder that the host's map lacks
[[nodiscard]] JobSpec asMapped(JobSpec spec, const Host& host);

}  // namespace gantry
