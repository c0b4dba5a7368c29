#pragma once

#include <functional>
#include <string>

#include "ui/desktop/bench/desktop_figures.h"

namespace gantry {

class VolumeRendering;

/// Runs the event loop until the condition holds.
/// @throws InputError when `what` "did not come within a minute"
void waitUntil(const std::function<bool()>& condition, const std::string& what);

/// Drags the view for some seconds, as with a mouse. The view must be on the screen.
[[nodiscard]] Turning turned(VolumeRendering& view);

}  // namespace gantry
