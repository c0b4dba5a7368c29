#pragma once

#include "core/phantom/phantom.h"

namespace gantry {

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
