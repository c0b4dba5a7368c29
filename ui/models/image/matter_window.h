#pragma once

#include <span>

#include "ui/models/image/grey_image.h"

namespace gantry {

/// The value that best parts a histogram in two classes (Otsu 1979): matter from air. Its lowest
/// value where it is of one class.
[[nodiscard]] double matterThreshold(const Histogram& histogram);

/// The window that shows small differences within the commonest matter, such as the tissues of a
/// head: about the densest half of all voxels that are not air. What is much denser is white, air
/// black. Voxels that are not finite are left out; never of no width.
/// Tests: tests/ui/models/matter_window_test.cpp
[[nodiscard]] GreyWindow matterWindow(std::span<const float> voxels);

}  // namespace gantry
