#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/session.h"
#include "core/base/types.h"
#include "core/live/montage_sheet.h"
#include "ui/desktop/bench/desktop_figures.h"

namespace gantry {

/// Whether this build has the desktop (Qt 6 and VTK were found when it was built), and there is a
/// display.
[[nodiscard]] bool canShowDesktop();

/// Runs the desktop until its window is closed. @returns the exit code
/// @throws InputError if there is no display, or no desktop in this build
[[nodiscard]] int showDesktop(Session& session, const std::optional<std::filesystem::path>& open);

/// Whether this build can draw text, which Qt does.
[[nodiscard]] bool canDrawSheets();

/// The sheet as the bytes of a PNG; no display is needed.
/// @throws InputError if there is no desktop in this build; ResourceError if there is no font
[[nodiscard]] std::string sheetPng(const MontageSheet& sheet);

/// The times that a user waits at the desktop.
struct DesktopFigures {
    double firstWindowSeconds = 0;
    double firstProjectionSeconds = 0;
    double liveFirstSeconds = 0;  ///< live slices: a moved centre of rotation, the first pictures
    double liveTrueSeconds = 0;   ///< until those of a whole reconstruction
    double liveStallMs = 0;       ///< the longest stall of the window meanwhile
    bool isLiveOnGpu = false;
    double timelineReadSeconds = 0;
    double panFramesPerSecond = 0;
    double zoomFramesPerSecond = 0;
    double longestStallMs = 0;
    std::vector<LargeVolume> large;  ///< volumes larger than memory
    double volumeShownSeconds = 0;
    double volumeMovingMs = 0;
    double volumeFineMs = 0;
    std::vector<GpuFrames> gpu;  ///< empty: no graphics card draws volumes here
};

struct DesktopBenchRequest {
    std::filesystem::path folder;    ///< where scan and volumes are made
    Index spans = 0;                 ///< of the timeline
    Index voxels = 0;                ///< of a volume, along each axis
    std::vector<Index> gpuVoxels;    ///< of volumes on the graphics card, along each axis
    bool isOnlyGpu = false;          ///< measures nothing else
    bool isSoftwareEnough = false;   ///< software OpenGL counts as a graphics card
    std::filesystem::path pictures;  ///< folder for the pictures that the card draws; empty: none
};

/// Opens the window, a simulated scan of 512²×360, a timeline, volumes of 35 and 550 GB that
/// consist mostly of holes, a volume of `voxels` cubed, and volumes made in memory on the card.
/// @throws InputError as showDesktop()
[[nodiscard]] DesktopFigures measureDesktop(Session& session, const DesktopBenchRequest& request);

}  // namespace gantry
