#pragma once

#include <QSize>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/types.h"

namespace gantry {

/// Frames a second of a volume in 3D that is turned, as the graphics card draws them and the
/// desktop gets them.
struct CardFrames {
    std::string card;  ///< the driver's name of it
    Index voxels = 0;  ///< along each axis
    QSize picture;     ///< pixels
    double shaded = 0;
    double shadedMoving = 0;  ///< with the coarsest steps that a moving picture has
    double maximum = 0;
};

/// Makes a volume of that many voxels cubed in memory, 2 bytes each, and turns it once. Needs a
/// QApplication; nothing where there is no card for it.
/// @throws Cancelled; ResourceError when the card fails
[[nodiscard]] std::optional<CardFrames> benchCard(Index voxels, const std::stop_token& stop);

}  // namespace gantry
