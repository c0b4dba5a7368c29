#pragma once

#include <memory>

#include "core/backproject/back_projector.h"
#include "core/backproject/cpu_columns.h"

namespace gantry {

/// iFDK algorithm 2 for any 3×4 matrices, in SIMD: transposed views, z-fastest slab, runs of a
/// voxel column that read the rows of few detector columns from registers. Tests:
/// tests/core/backproject/general_agreement_test.cpp
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuGeneralBackProjector(int threads,
                                                                         SimdLevel level);
/// Uses the best level of this machine.
[[nodiscard]] std::unique_ptr<BackProjector> makeCpuGeneralBackProjector(int threads);

}  // namespace gantry
