#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/remote/shell/host_files.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// Files that a folder here and one on a host are to have alike.
struct Transfer {
    enum class Way { send, fetch };

    const HostShell& shell;
    Way way;
    std::filesystem::path here;
    std::string there;  ///< exists
    const std::vector<HostFile>& files;
    /// Where one of them is in this folder too, with the same content, it is taken from there;
    /// empty: no folder.
    std::filesystem::path known{};
};

/// Gets the bytes that have been moved or found to be there, as they grow.
using BytesHandler = std::function<void(Index)>;

/// Makes the files alike by rsync, which compares all of them by checksums, on the connection that
/// all calls to the host share. A file is written in place, so that a call goes on where an earlier
/// one stopped. No fetched file becomes longer than the largest of the list.
/// @returns false where this machine or the host has no rsync, with nothing done
/// @throws HostUnreachable when the connection breaks; ResourceError in rsync's own words;
/// Cancelled Tests: tests/core/remote/transfer_test.cpp
[[nodiscard]] bool moveByRsync(const Transfer& transfer, const BytesHandler& moved,
                               const std::stop_token& stop);

/// The reason that a failed transfer gives, as an error of the fitting kind.
/// isBroken: the connection broke, so the work may be tried again
[[noreturn]] void failToMove(const Transfer& transfer, bool isBroken,
                             const std::string& complaints);

}  // namespace gantry
