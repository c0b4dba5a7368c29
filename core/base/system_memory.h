#pragma once

#include <filesystem>

#include "core/base/types.h"

namespace gantry {

/// Memory that can still be taken without swapping, bytes: the kernel's estimate, within the limits
/// of this process' containers.
/// Tests: tests/core/base/system_test.cpp
[[nodiscard]] Index availableMemoryBytes();

/// What the control groups of this process, a container's or a batch system's, leave it: the least
/// over its own group and those around it, versions 1 and 2, bytes. Cached files count as free. The
/// largest Index where there is no limit.
/// @param root  the folder that holds proc and sys
[[nodiscard]] Index containerRoomBytes(const std::filesystem::path& root = "/");

/// The most memory this process has held so far (peak resident set), bytes.
[[nodiscard]] Index peakResidentBytes();

}  // namespace gantry
