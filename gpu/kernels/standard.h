#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"

namespace gantry::gpu {

/// iFDK algorithm 2 for any matrices: adds a batch to a slab [z][y][x], a voxel a thread.
/// views: layers [v][u], unfiltered, 0 outside
/// On the stream; the caller checks whether the launch succeeded.
/// Tests: tests/gpu/engine/cone_kernel_test.cpp
void addStandard(const ConeBatch& batch, const ConeSlab& slab, cudaTextureObject_t views,
                 cudaStream_t stream);

}  // namespace gantry::gpu
