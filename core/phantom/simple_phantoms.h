#pragma once

#include "core/phantom/phantom.h"

namespace gantry {

// Plain objects with flat regions and known edges, within 1 unit of the centre.
// Tests: tests/core/phantom/phantom_test.cpp, tests/core/calibrate/calibrate_test.cpp

/// Seven separate spheres of different size and value, off the axis and at different heights.
[[nodiscard]] Phantom spheresPhantom();

/// An upright cylinder of value 1 with rods of other values in it: upright ones of different
/// thickness, one elliptic, one tilted.
[[nodiscard]] Phantom cylindersPhantom();

// Phantoms for `gantry calibrate`: small dense balls in the wall of an upright tube.
// Tests: tests/core/phantom/phantom_test.cpp, tests/core/calibrate/calibrate_test.cpp

/// Balls on a helix of one and a half turns with 18 places, one of which is empty, so that it looks
/// different from every side.
[[nodiscard]] Phantom ballHelixPhantom();
/// Balls in four rings of five, none at the middle height, where balls would hide each other; each
/// ring is rotated slightly from the one below, and one place of the second is empty.
[[nodiscard]] Phantom ballRingsPhantom();

}  // namespace gantry
