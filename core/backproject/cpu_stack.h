#pragma once

#include <memory>

#include "core/backproject/back_projector.h"
#include "core/backproject/cpu_columns.h"

namespace gantry {

/// iFDK algorithm 2 for parallel beams on an upright detector, whose slices are independent of each
/// other: views are interpolated once at the heights of the slices, SIMD lanes are slices, and the
/// position on the detector is computed once a voxel column.
/// Tests: tests/core/backproject/stack_agreement_test.cpp
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuStackBackProjector(int threads,
                                                                       SimdLevel level);
/// Uses the best level of this machine.
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuStackBackProjector(int threads);

}  // namespace gantry
