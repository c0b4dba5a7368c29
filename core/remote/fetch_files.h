#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/remote/host_shell.h"
#include "core/remote/job_host.h"

namespace gantry {

/// A file on a host, by its name below a folder.
struct HostFile {
    std::string name;
    Index bytes = 0;
    std::filesystem::path here{};  ///< name to fetch it under; empty: its own
};
/// All files below the folder; names that lead out of it are refused.
/// @throws InputError where there is no such folder; HostUnreachable, Cancelled
[[nodiscard]] std::vector<HostFile> listFiles(const HostShell& shell, const std::string& folder,
                                              const std::stop_token& stop);

/// All files below these folders, in one round trip, by their names below "/"; none of a folder
/// that does not exist. folders: from / on
/// @throws InputError, HostUnreachable, Cancelled
[[nodiscard]] std::vector<HostFile> listFilesOf(const HostShell& shell,
                                                const std::vector<std::string>& folders,
                                                const std::stop_token& stop);

/// Fetches files from the folder on the host into one here, in the way of sendFiles(): files that
/// are here already, with the same checksum, stay.
void fetchFiles(const HostShell& shell, const std::string& folder,
                const std::vector<HostFile>& files, const std::filesystem::path& to,
                const HostProgress& progress, const std::stop_token& stop);

}  // namespace gantry
