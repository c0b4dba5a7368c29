#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/session.h"
#include "core/base/types.h"
#include "ui/desktop/desktop_figures.h"

namespace gantry {

/// Whether this build has the desktop (Qt 6 and VTK were there when it was built), and there is a
/// display to show it on.
[[nodiscard]] bool canShowDesktop();

/// Runs the desktop until its window is closed. @returns the exit code
/// @throws InputError where there is no display, or no desktop in this build
[[nodiscard]] int showDesktop(Session& session, const std::optional<std::filesystem::path>& open);

/// What an operator waits for at the desktop.
struct DesktopFigures {
    double firstWindowSeconds = 0;
    double firstProjectionSeconds = 0;
    double liveFirstSeconds = 0;  ///< live slices: a moved centre of rotation, the first pictures
    double liveTrueSeconds = 0;   ///< and those of a whole reconstruction
    double liveStallMs = 0;       ///< the longest stall of the window meanwhile
    bool isLiveOnGpu = false;
    double timelineReadSeconds = 0;
    double panFramesPerSecond = 0;
    double zoomFramesPerSecond = 0;
    double longestStallMs = 0;
    std::vector<LargeVolume> large;  ///< volumes past memory
    double volumeShownSeconds = 0;
    double volumeMovingMs = 0;
    double volumeFineMs = 0;
    std::vector<CardFrames> card;  ///< empty: no graphics card draws volumes here
};

struct DesktopBenchRequest {
    std::filesystem::path folder;    ///< where scan and volumes are made
    Index spans = 0;                 ///< of the timeline
    Index voxels = 0;                ///< of a volume, along each axis
    std::vector<Index> cardVoxels;   ///< of volumes on the graphics card, the same
    bool isOnlyCard = false;         ///< without all else
    bool isSoftwareEnough = false;   ///< OpenGL that is drawn by software counts as such a card
    std::filesystem::path pictures;  ///< where those that the card draws are stored; empty: nowhere
};

/// Opens the window, a simulated scan of 512²×360, a timeline, volumes of 35 and 550 GB, nearly all
/// of them holes in their files, a volume of some voxels cubed, and volumes made in memory on the
/// card.
/// @throws InputError as showDesktop()
[[nodiscard]] DesktopFigures measureDesktop(Session& session, const DesktopBenchRequest& request);

}  // namespace gantry
