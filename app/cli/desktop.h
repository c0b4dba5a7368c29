#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/session.h"

namespace gantry {

/// Whether this build has the desktop (Qt 6 and VTK were there when it was built), and there is a
/// display to show it on.
[[nodiscard]] bool canShowDesktop();

/// Runs the desktop until its window is closed. @returns the exit code
/// @throws InputError where there is no display, or no desktop in this build
[[nodiscard]] int showDesktop(Session& session, const std::optional<std::filesystem::path>& open);

/// Frames a second of a volume in 3D that is turned in a picture of 1600 × 1000 pixels.
struct CardFigures {
    std::string card;         ///< the driver's name of it
    Index voxels = 0;         ///< along each axis, 16 bits each
    double shaded = 0;        ///< frames a second
    double shadedMoving = 0;  ///< with the coarsest steps that a moving picture has
    double maximum = 0;
};

/// What an operator waits for at the desktop.
struct DesktopFigures {
    double firstWindowSeconds = 0;
    double firstProjectionSeconds = 0;
    double liveFirstSeconds = 0;  ///< live slices: a moved centre of rotation, the first pictures
    double liveTrueSeconds = 0;   ///< and those of a whole reconstruction
    double liveStallMs = 0;       ///< the longest stall of the window meanwhile
    double timelineReadSeconds = 0;
    double panFramesPerSecond = 0;
    double zoomFramesPerSecond = 0;
    double longestStallMs = 0;
    Index largeVolumeBytes = 0;  ///< of a volume past memory: its size, without its holes' disk
    double largeShownSeconds = 0;
    double largeDetailSeconds = 0;  ///< until voxels of the file itself are on the screen
    Index largeMemoryBytes = 0;
    double volumeShownSeconds = 0;
    double volumeMovingMs = 0;
    double volumeFineMs = 0;
    std::vector<CardFigures> card;  ///< empty: no graphics card draws volumes here
};

/// Opens the window, a simulated scan of 512²×360, a timeline of that many spans, a volume of 35
/// GB, nearly all of it a hole in its file, and a volume of that many voxels cubed.
/// @throws InputError as showDesktop()
[[nodiscard]] DesktopFigures measureDesktop(Session& session, const std::filesystem::path& folder,
                                            Index spans, Index voxels);

}  // namespace gantry
