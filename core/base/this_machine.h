#pragma once

#include <filesystem>
#include <string>

#include "core/base/types.h"

namespace gantry {

/// Memory that can still be allocated without swapping, bytes: the kernel's estimate, within the
/// limits of this process' containers. Tests: tests/core/base/system_test.cpp
[[nodiscard]] Index availableMemoryBytes();

/// Memory that the control groups of this process (of a container or a batch system) leave it: the
/// minimum over its own group and those around it, versions 1 and 2, bytes. Cached files count as
/// free. The largest Index if there is no limit.
/// @param root  the folder that contains proc and sys
[[nodiscard]] Index containerRoomBytes(const std::filesystem::path& root = "/");

/// Peak memory of this process so far (resident set), bytes.
[[nodiscard]] Index peakResidentBytes();

/// The name of this machine in its network; empty if it has none.
[[nodiscard]] std::string machineName();

}  // namespace gantry
