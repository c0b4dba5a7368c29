#pragma once

#include <string>

#include "core/base/types.h"

namespace gantry {

/// What a user waits for while turning a volume with the mouse.
struct Turning {
    double movingMs = 0;  ///< from one picture on the screen to the next, the mean while it turns
    double medianMs = 0;  ///< the median of these times
    double slowMs = 0;    ///< 95 % of them are shorter
    double fineMs = 0;    ///< from the release to the fine picture
    double stallMs = 0;   ///< the longest stall of the window, including that for the fine picture
};

/// A volume that does not fit in memory, shown in the window.
struct LargeVolume {
    std::string voxels;        ///< along x, y and z
    Index fileBytes = 0;       ///< including holes that take no disk space
    double shownSeconds = 0;   ///< from opening it to coarse slices on the screen
    double detailSeconds = 0;  ///< from zooming in on a point to its own voxels
    Index memoryBytes = 0;     ///< max over all of this
};

/// A volume in 3D on the graphics card, as in the Volume tab.
struct GpuFrames {
    std::string gpu;          ///< the driver's name for it
    Index voxels = 0;         ///< along each axis
    std::string shown;        ///< how finely, and in how much memory
    double firstSeconds = 0;  ///< from voxels in memory to the first picture
    double shownSeconds = 0;  ///< until the fine picture of everything shown
    double openStallMs = 0;   ///< the longest stall of the window until then
    Turning shaded;           ///< in 1600 × 1000 pixels
    Turning maximum;          ///< the same for the maximum along each ray
};

}  // namespace gantry
