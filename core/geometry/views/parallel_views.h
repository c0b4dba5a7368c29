#pragma once

#include <span>

#include "core/geometry/views/projection_matrix.h"

namespace gantry {

/// Whether these matrices, on world mm or voxels, belong to parallel rays: their depth is the same
/// everywhere.
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] bool haveParallelRays(std::span<const ProjectionMatrix> matrices);

/// Whether in addition the rays and the detector's rows are perpendicular to the z axis.
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp,
/// tests/core/backproject/stack_agreement_test.cpp
[[nodiscard]] bool areParallel(std::span<const ProjectionMatrix> matrices);

}  // namespace gantry
