#pragma once

namespace gantry {

/// Whether the environment names a display.
[[nodiscard]] bool hasDisplay();

/// Must be called before Qt, which ends the process without Gantry's exit code if there is no
/// display.
/// @throws InputError stating what is not set
void requireDisplay();

}  // namespace gantry
