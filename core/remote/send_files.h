#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/remote/host_shell.h"
#include "core/remote/job_host.h"

namespace gantry {

/// A file here, and its name below a folder on a host.
struct LocalFile {
    std::filesystem::path path;
    std::string name;  ///< any text but null characters; no ".." in it
    Index bytes = 0;
};

/// Sends what the folder on the host does not have yet, and verifies it by checksums. A file gets
/// its name once it is complete; until then ".part" is appended, and an interrupted call resumes
/// there. All files go in one stream. The call waits through breaks of the connection.
/// @throws HostUnreachable, InputError, ResourceError if the host has no room, Cancelled
/// Tests: tests/cli/test_remote.py, tests/cli/test_remote_faults.py
void sendFiles(const HostShell& shell, const std::vector<LocalFile>& files,
               const std::string& folder, const HostProgress& progress,
               const std::stop_token& stop);

}  // namespace gantry
