#pragma once

#include <span>

#include "ui/models/image/grey_image.h"

namespace gantry {

/// The value that best separates a histogram into two classes (Otsu 1979): matter and air. If there
/// is one class, its lowest value.
[[nodiscard]] double matterThreshold(const Histogram& histogram);

/// The window that shows small differences within the most common matter, such as the tissues of a
/// head: about the densest half of all voxels that are not air. Much denser matter is white, air
/// black. Voxels that are not finite are left out; the width is never 0. Tests:
/// tests/ui/models/matter_window_test.cpp
[[nodiscard]] GreyWindow matterWindow(std::span<const float> voxels);

}  // namespace gantry
