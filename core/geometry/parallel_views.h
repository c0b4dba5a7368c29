#pragma once

#include <span>

#include "core/geometry/projection_matrix.h"

namespace gantry {

/// Whether these matrices, on world mm or voxels, are a parallel beam's, and square to the z axis.
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp,
/// tests/core/backproject/stack_agreement_test.cpp
[[nodiscard]] bool areParallel(std::span<const ProjectionMatrix> matrices);

}  // namespace gantry
