#pragma once

#include <string>

#include "core/base/types.h"

namespace gantry {

/// What one waits for who turns a volume by the mouse.
struct Turning {
    double movingMs = 0;  ///< from one picture on the screen to the next, the mean while it turns
    double medianMs = 0;  ///< the median of these times
    double slowMs = 0;    ///< 95 % of them are shorter
    double fineMs = 0;    ///< until the fine picture, after
    double stallMs = 0;   ///< the longest stall of the window, that for the fine picture too
};

/// A volume that does not fit in memory, in the window.
struct LargeVolume {
    std::string voxels;        ///< along x, y and z
    Index fileBytes = 0;       ///< holes that take no disk included
    double shownSeconds = 0;   ///< from opening it to its slices, coarsely, on the screen
    double detailSeconds = 0;  ///< from looking at a place closely to its own voxels
    Index memoryBytes = 0;     ///< that all this took at most
};

/// A volume in 3D on the graphics card, as the Volume tab shows it.
struct CardFrames {
    std::string card;         ///< the driver's name of it
    Index voxels = 0;         ///< along each axis
    std::string shown;        ///< how fine, and in how much memory
    double firstSeconds = 0;  ///< from voxels in memory to the first picture
    double shownSeconds = 0;  ///< and until the fine one of all that is shown
    double openStallMs = 0;   ///< the longest stall of the window until then
    Turning shaded;           ///< in 1600 × 1000 pixels
    Turning maximum;          ///< the same, of the maximum along each line of sight
};

}  // namespace gantry
