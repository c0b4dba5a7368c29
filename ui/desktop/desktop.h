#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/engine/backends.h"
#include "core/live/montage_sheet.h"

namespace gantry {

/// Whether the environment names a display.
[[nodiscard]] bool hasDisplay();

/// Must be called before Qt, which ends the process without Gantry's exit code if there is no
/// display.
/// @throws InputError stating what is not set
void requireDisplay();

/// Shows the desktop and runs it until its window is closed or `stop` is requested. With a path it
/// opens that: a scan, a job's folder or a volume. @returns the program's exit code
/// @throws InputError when there is no display
[[nodiscard]] int runDesktop(Machine machine, const std::filesystem::path& program,
                             const std::optional<std::filesystem::path>& open,
                             const std::stop_token& stop);

/// Draws a sheet in a process that shows no window, whether there is a display or not; once.
/// @returns the bytes of a PNG. @throws ResourceError  this machine has no font
[[nodiscard]] std::string drawWithoutWindow(const MontageSheet& sheet);

}  // namespace gantry
