#pragma once

#include "core/io/projection_format.h"

namespace gantry {

/// ZEISS Xradia .txrm and .xrm: the images and, as flat frames, those without the sample. Dark
/// frames are not stored. Tests: tests/core/io/xradia_source_test.cpp
[[nodiscard]] ProjectionFormat xradiaProjections();

}  // namespace gantry
