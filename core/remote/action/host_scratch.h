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
};

/// Data that were sent, and jobs there, except those of jobs of this user that have not ended, or
/// whose volume is wanted here and was not fetched.
/// @throws HostUnreachable, Cancelled
/// Tests: tests/cli/test_remote.py
[[nodiscard]] std::vector<ScratchFolder> unusedFolders(const Host& host,
                                                       const std::stop_token& stop);

/// folders: from unusedFolders(). @throws ResourceError naming folders that could not be removed
void removeFolders(const Host& host, const std::vector<ScratchFolder>& folders,
                   const std::stop_token& stop);

}  // namespace gantry
