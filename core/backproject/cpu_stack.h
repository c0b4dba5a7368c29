#pragma once

#include <memory>

#include "core/backproject/back_projector.h"
#include "core/backproject/cpu_columns.h"

namespace gantry {

/// iFDK algorithm 2 for parallel beams on an upright detector, whose slices are independent of each
/// other: views interpolated once at the heights of the slices, slices in SIMD lanes, a place in
/// the detector once a voxel column. Tests: tests/core/backproject/stack_agreement_test.cpp
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuStackBackProjector(int threads,
                                                                       SimdLevel level);
/// With the best level of this machine.
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuStackBackProjector(int threads);

}  // namespace gantry
