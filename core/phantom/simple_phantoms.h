#pragma once

#include "core/phantom/phantom.h"

namespace gantry {

// Plain objects with flat regions and known edges, within 1 unit of the centre.
// Tests: tests/core/phantom/phantom_test.cpp

/// Seven separate spheres of different size and value, off the axis and at different heights.
[[nodiscard]] Phantom spheresPhantom();

/// An upright cylinder of value 1 with rods of other values in it: upright ones of different
/// thickness, one elliptic, one tilted.
[[nodiscard]] Phantom cylindersPhantom();

}  // namespace gantry
