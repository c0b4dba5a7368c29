#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// A file below a folder here or on a host.
struct HostFile {
    std::string name;  ///< relative; any text but null characters; no ".." in it
    Index bytes = 0;
};

/// All files below each of these folders, in one round trip; names that lead out of it are refused.
/// @throws InputError where there is no such folder; HostUnreachable, Cancelled
[[nodiscard]] std::vector<std::vector<HostFile>> listFiles(const HostShell& shell,
                                                           const std::vector<std::string>& folders,
                                                           const std::stop_token& stop);

[[nodiscard]] Index bytesOf(const std::vector<HostFile>& files);

}  // namespace gantry
