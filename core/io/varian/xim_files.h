#pragma once

#include "core/io/projection_format.h"

namespace gantry {

/// Views in .xim or .hnd images of Varian's machines, one in each, with the dose of each as the
/// monitor. Tests: tests/core/io/xim_test.cpp, tests/core/io/hnd_test.cpp
[[nodiscard]] ProjectionFormat ximProjections();

}  // namespace gantry
