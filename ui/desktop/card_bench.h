#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "ui/desktop/desktop_figures.h"

namespace gantry {

/// Turns a volume of that many voxels cubed, which takes no disk: its voxels are made where they
/// are read. Larger ones than the card is to hold are shown coarsely, finer about the middle.
/// pictures: where what was on the screen is stored as PNG; empty: nowhere. Needs a QApplication;
/// nothing where there is no card for it, unless OpenGL drawn by software is one.
/// @throws Cancelled; ResourceError when a picture cannot be stored
[[nodiscard]] std::optional<CardFrames> benchCard(Index voxels,
                                                  const std::filesystem::path& pictures,
                                                  bool isSoftwareEnough,
                                                  const std::stop_token& stop);

}  // namespace gantry
