#pragma once

#include <span>

#include "core/base/types.h"
#include "core/geometry/scan_geometry.h"
#include "core/phantom/phantom.h"

namespace gantry {

/// Line integrals (no unit) of detector rows [rows.begin, rows.end) of one view: the exact length
/// of each ray, from the source to the pixel's centre, inside every shape times its attenuation. A
/// shape that reaches behind the source or the detector counts only between the two; for parallel
/// rays both are beyond every shape. out: [v][u] for those rows. Computed in double. Several
/// threads may call it. Tests: tests/core/phantom/analytic_projector_test.cpp
void projectPhantom(const Phantom& phantom, const ViewPose& pose, const Detector& detector,
                    IndexRange rows, std::span<float> out);

}  // namespace gantry
