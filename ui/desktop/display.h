#pragma once

namespace gantry {

/// Whether the environment names a display.
[[nodiscard]] bool hasDisplay();

/// Qt ends the process where it finds no display, without an exit code of ours: ask before.
/// @throws InputError saying what is not set
void requireDisplay();

}  // namespace gantry
