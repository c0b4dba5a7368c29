#pragma once

namespace gantry {

/// Whether the environment names a display.
[[nodiscard]] bool hasDisplay();

/// Where Qt finds no display it ends the process, without Gantry's exit code: check first.
/// @throws InputError saying what is not set
void requireDisplay();

}  // namespace gantry
