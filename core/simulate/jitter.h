#pragma once

#include <cstdint>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// The scan with views off their circle, as calibrated poses: source and detector of each moved by
/// up to `mm` along every axis of the world, its detector rotated by up to `deg` about each of its
/// own; uniformly distributed, the same for a seed.
/// Tests: tests/core/simulate/jitter_test.cpp
[[nodiscard]] ScanGeometry jittered(const ScanGeometry& geometry, double mm, double deg,
                                    std::uint64_t seed);

}  // namespace gantry
