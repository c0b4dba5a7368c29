#pragma once

namespace gantry {

class VolumeRendering;

/// What one waits for who turns a volume by the mouse.
struct Turning {
    double movingMs = 0;  ///< a picture, while it turns
    double fineMs = 0;    ///< until the fine one, after
    double stallMs = 0;   ///< the longest stall of the window meanwhile
};

/// Drags it about for some seconds, as a mouse does. The view is to be on the screen.
[[nodiscard]] Turning turned(VolumeRendering& view);

}  // namespace gantry
