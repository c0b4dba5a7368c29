#pragma once

#include <memory>

#include "core/backproject/back_projector.h"
#include "core/backproject/cpu_columns.h"

namespace gantry {

/// iFDK algorithm 2 in float in its plainest form, compiled for an instruction set but without
/// SIMD: the baseline for the speed of the other back-projectors.
/// @throws InternalError  the machine does not support the level
[[nodiscard]] std::unique_ptr<BackProjector> makePlainScalarBackProjector(int threads,
                                                                          SimdLevel level);

}  // namespace gantry
