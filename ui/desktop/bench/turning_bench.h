#pragma once

#include "ui/desktop/bench/desktop_figures.h"

namespace gantry {

class VolumeRendering;

/// Drags the view for some seconds, as with a mouse. The view must be on the screen.
[[nodiscard]] Turning turned(VolumeRendering& view);

}  // namespace gantry
