#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/remote/host/host.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// A scan whose images are on a host.
struct HostScan {
    std::string host;   ///< its name
    std::string place;  ///< the scan's file there, from / on
};

/// The content of a scan's file on the host; its images are not read.
/// place: from / on; a folder stands for the scan.json in it
/// @throws InputError if it cannot be read, HostUnreachable, Cancelled
/// Tests: tests/core/remote/host_scan_test.cpp
[[nodiscard]] std::string readScanThere(const HostShell& shell, const std::filesystem::path& place,
                                        const std::stop_token& stop);

/// Fetches the scan's file, so that it can be shown, edited and reconstructed there. If the copy
/// here was edited since, that copy is kept.
/// @returns the copy. @throws as readScanThere(), InputError if it describes no scan
/// Tests: tests/core/remote/host_scan_test.cpp
[[nodiscard]] std::filesystem::path bringScan(const Host& host, const std::string& place,
                                              const std::stop_token& stop);

/// Where the copy of a host's scan is, or would be.
[[nodiscard]] std::filesystem::path copyOf(const HostScan& scan);
/// The scan that a file is the copy of; nothing if it is none. Does not access the disk.
[[nodiscard]] std::optional<HostScan> scanOfCopy(const std::filesystem::path& file);

}  // namespace gantry
