#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/remote/host.h"
#include "core/remote/host_shell.h"

namespace gantry {

/// A scan whose images lie on a host.
struct HostScan {
    std::string host;   ///< its name
    std::string place;  ///< the scan's file there, from / on
};

/// What a scan's file on the host holds; its images are not looked at.
/// place: from / on; a folder stands for the scan.json in it
/// @throws InputError where it cannot be read, HostUnreachable, Cancelled
/// Tests: tests/core/remote/host_scan_test.cpp
[[nodiscard]] std::string readScanThere(const HostShell& shell, const std::filesystem::path& place,
                                        const std::stop_token& stop);

/// Brings the scan's file here, so that it can be looked at, edited and reconstructed there. Where
/// the copy that is here was edited since, that one stays.
/// @returns the copy. @throws as readScanThere(), InputError where it describes no scan
/// Tests: tests/core/remote/host_scan_test.cpp
[[nodiscard]] std::filesystem::path bringScan(const Host& host, const std::string& place,
                                              const std::stop_token& stop);

/// Where the copy of a host's scan is, or would be.
[[nodiscard]] std::filesystem::path copyOf(const HostScan& scan);
/// Which scan a file is the copy of; nothing where it is none. Looks at no disk.
[[nodiscard]] std::optional<HostScan> scanOfCopy(const std::filesystem::path& file);

}  // namespace gantry
