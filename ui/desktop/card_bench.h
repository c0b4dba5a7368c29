#pragma once

#include <QSize>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/types.h"

namespace gantry {

/// A volume in 3D on the graphics card, as the Volume tab shows it.
struct CardFrames {
    std::string card;         ///< the driver's name of it
    std::string voxels;       ///< that were shown, and their memory
    QSize picture;            ///< pixels
    double shownSeconds = 0;  ///< from the volume's first voxels in memory to all that is shown
    double movingMs = 0;      ///< a picture, while it turns
    double fineMs = 0;        ///< until the fine one, after
    double stallMs = 0;       ///< the longest stall of the window while it turns
    double maximumMs = 0;     ///< a picture of the maximum, while it turns
};

/// Turns a volume of that many voxels cubed, which takes no disk: its voxels are made where they
/// are read. Larger ones than the card is to hold are shown coarsely, finer about the middle.
/// pictures: where what was on the screen is stored as PNG; empty: nowhere. Needs a QApplication;
/// nothing where there is no card for it.
/// @throws Cancelled; ResourceError when a picture cannot be stored
[[nodiscard]] std::optional<CardFrames> benchCard(Index voxels,
                                                  const std::filesystem::path& pictures,
                                                  const std::stop_token& stop);

}  // namespace gantry
