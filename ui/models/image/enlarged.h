#pragma once

#include "ui/models/image/grey_image.h"

namespace gantry {

/// The image in more pixels, interpolated between its own, so that it covers the same area.
/// Tests: tests/ui/models/grey_image_test.cpp
[[nodiscard]] GreyImage enlarged(const GreyImage& image, Index columns, Index rows);

}  // namespace gantry
