#pragma once

#include "ui/desktop/desktop_figures.h"

namespace gantry {

class VolumeRendering;

/// Drags it about for some seconds, as a mouse does. The view is to be on the screen.
[[nodiscard]] Turning turned(VolumeRendering& view);

}  // namespace gantry
