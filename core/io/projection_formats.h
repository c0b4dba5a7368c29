#pragma once

#include "core/io/projection_format.h"

namespace gantry {

// Formats whose files are only read, and as projections alone; each stands in a folder of its name.

/// ZEISS Xradia .txrm and .xrm: the images and, as flat frames, those without the sample. Dark
/// frames are not stored. Tests: tests/core/io/xradia_source_test.cpp
[[nodiscard]] ProjectionFormat xradiaProjections();

/// Views in .xim or .hnd images of Varian's machines, one in each, with the dose of each as the
/// monitor. Tests: tests/core/io/xim_test.cpp, tests/core/io/hnd_test.cpp
[[nodiscard]] ProjectionFormat ximProjections();

/// Views in .his images of Elekta's machines (Heimann Imaging Software): frames of 16 bits.
/// Tests: tests/core/io/his_test.cpp
[[nodiscard]] ProjectionFormat hisProjections();

}  // namespace gantry
