#pragma once

#include <span>

#include "core/geometry/projection_matrix.h"

namespace gantry {

/// Whether these matrices, on world mm or voxels, are of parallel rays: their depth is the same
/// everywhere.
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] bool haveParallelRays(std::span<const ProjectionMatrix> matrices);

/// And the rays and the detector's rows are square to the z axis.
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp,
/// tests/core/backproject/stack_agreement_test.cpp
[[nodiscard]] bool areParallel(std::span<const ProjectionMatrix> matrices);

}  // namespace gantry
