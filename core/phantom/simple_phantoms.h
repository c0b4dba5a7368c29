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

// For calibration by gantry calibrate: small dense balls in the wall of an upright tube.
// Tests: tests/core/phantom/phantom_test.cpp, tests/core/calibrate/calibrate_test.cpp

/// On a helix of one and a half turns with 18 places, of which one is empty: so it looks alike from
/// no two sides.
[[nodiscard]] Phantom ballHelixPhantom();
/// In four rings of five, none at the middle height, where balls would hide each other; each is
/// turned a little from the one below, and a place of the second is empty.
[[nodiscard]] Phantom ballRingsPhantom();

}  // namespace gantry
