#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/shell/host_files.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// Makes these files of the folder on the host equal to those of the folder here: all are compared
/// by checksums, and what differs or is missing is sent. Another program that sends to the same
/// folder is waited for. The call waits through breaks of the connection; a call that was
/// interrupted is gone on with by the next one.
/// @throws HostUnreachable, InputError, ResourceError if the host has no room, Cancelled
/// Tests: tests/core/remote/transfer_test.cpp, tests/cli/test_remote_faults.py
void sendFiles(const HostShell& shell, const std::filesystem::path& from,
               const std::vector<HostFile>& files, const std::string& to,
               const HostProgress& progress, const std::stop_token& stop);

/// The same from the host's folder to one here. Files that are alike in the folder `known` are not
/// fetched, but linked or copied from there; it may be empty.
void fetchFiles(const HostShell& shell, const std::string& from, const std::vector<HostFile>& files,
                const std::filesystem::path& to, const std::filesystem::path& known,
                const HostProgress& progress, const std::stop_token& stop);

}  // namespace gantry
