#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/host_shell.h"

namespace gantry {

/// A folder of a host, as one browses there.
struct HostFolder {
    std::string path;                  ///< from / on
    std::vector<std::string> folders;  ///< names in it, in order, but for hidden ones
    std::vector<std::string> scans;    ///< names of JSON files in it, which may be scans
    bool isCut = false;                ///< there are more, which are not read
};

/// place: from / on, or ~ or $NAME at its begin
/// @throws InputError where it cannot be read there, HostUnreachable, Cancelled
/// Tests: tests/core/remote/host_folders_test.cpp
[[nodiscard]] HostFolder readHostFolder(const HostShell& shell, const std::string& place,
                                        const std::stop_token& stop);

}  // namespace gantry
