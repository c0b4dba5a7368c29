#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/engine/cone_kernel.h"

namespace gantry {

/// Kernels for a parallel beam square to the rotation axis
/// (balancing-gpu-subsystems-parallel-beam): the paper's by texture units (parallel-texture), in
/// shared memory (parallel-alu) and both at once (parallel-hybrid), and ours, which keeps many
/// slices' footprints in shared memory and fetches each pixel for four voxels (parallel-stack,
/// exact, and parallel-half). A number in a name counts the slices made at once. Slices between two
/// rows are interpolated while views are repacked. Tests: tests/gpu/engine/parallel_kernel_test.cpp
[[nodiscard]] std::vector<std::string> parallelKernelNames();

/// The kernel of that name; null if there is none.
[[nodiscard]] std::unique_ptr<ConeKernel> makeParallelKernel(std::string_view name);

/// Whether the kernel interpolates exactly in fp32.
[[nodiscard]] bool isExactParallelKernel(std::string_view name);

}  // namespace gantry
