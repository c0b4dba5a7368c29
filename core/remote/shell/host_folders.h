#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/shell/host_shell.h"

namespace gantry {

/// A folder of a host, for browsing there.
struct HostFolder {
    std::string path;                  ///< from / on
    std::vector<std::string> folders;  ///< names in it, in order, without hidden ones
    std::vector<std::string> scans;    ///< names of JSON files in it, which may be scans
    bool isCut = false;                ///< there are more, which were not read
};

/// place: from / on, or with ~ or $NAME at its begin
/// @throws InputError if it cannot be read there, HostUnreachable, Cancelled
/// Tests: tests/core/remote/host_folders_test.cpp
[[nodiscard]] HostFolder readHostFolder(const HostShell& shell, const std::string& place,
                                        const std::stop_token& stop);

}  // namespace gantry
