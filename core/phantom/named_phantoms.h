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

// The three-dimensional Shepp-Logan heads: ten ellipsoids each, in the tables' unit (the head is
// 0.92 units high along y), z up. Angles count counter-clockwise seen from +z.
// Tests: tests/core/phantom/phantom_test.cpp

/// Kak and Slaney, Principles of Computerized Tomographic Imaging (1988), table 3.1 with its
/// published errata. An ellipsoid is rotated about its own centre. Skull 2.00, brain 1.02.
[[nodiscard]] Phantom sheppLoganKakSlaney();

/// The same ellipsoids with the contrasts of Yu, Ye and Wang, Proc. SPIE 5535 (2004) 550-557.
/// Skull 1.0, brain 0.2.
[[nodiscard]] Phantom sheppLoganYuYeWang();

/// Toft's "modified" head (The Radon Transform, 1996) as Schabel's phantom3d extends it to three
/// dimensions. phantom3d rotates the whole space by Euler angles z-x-z (φ, θ, ψ) before it
/// compares, so that the centre rotates with its ellipsoid; the table has θ = 0, which leaves a
/// rotation by φ + ψ about z. Skull 1.0, brain 0.2.
[[nodiscard]] Phantom sheppLoganToftSchabel();

}  // namespace gantry
