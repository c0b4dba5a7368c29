#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/remote/host/host.h"

namespace gantry {

/// A folder on a host that this program has made there.
struct ScratchFolder {
    std::string path;
    Index bytes = 0;
    std::string reason;  ///< "fetched; sent by ada@desk, who last asked for it 3 days ago"
};

/// Folders of jobs that have ended and left nothing that was not fetched, or that nobody has asked
/// for in 30 days, and data that no other job there reads. What stands in the folders counts, so
/// that jobs of other machines of this user are safe; a job that waits or runs is never among them.
/// @throws ResourceError if the scheduler does not say which do; HostUnreachable, Cancelled
/// Tests: tests/core/remote/host_scratch_test.cpp, tests/cli/test_remote.py
[[nodiscard]] std::vector<ScratchFolder> unusedFolders(const Host& host,
                                                       const std::stop_token& stop);

/// folders: from unusedFolders(); those in use again since then stay. @throws ResourceError naming
/// folders that could not be removed
void removeFolders(const Host& host, const std::vector<ScratchFolder>& folders,
                   const std::stop_token& stop);

}  // namespace gantry
