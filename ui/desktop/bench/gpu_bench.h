#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "ui/desktop/bench/desktop_figures.h"

namespace gantry {

/// Turns a volume of `voxels` cubed that takes no disk space: its voxels are made where they are
/// read. Volumes larger than the card's budget are shown coarsely, finer about the middle.
/// pictures: folder for PNG files of the pictures on the screen; empty: none. Needs a QApplication;
/// nothing if there is no card for it, unless software OpenGL counts as one.
/// @throws Cancelled; ResourceError when a picture cannot be stored
[[nodiscard]] std::optional<GpuFrames> benchGpu(Index voxels, const std::filesystem::path& pictures,
                                                bool isSoftwareEnough, const std::stop_token& stop);

}  // namespace gantry
