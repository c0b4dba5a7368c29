#pragma once

#include <cuda_runtime_api.h>

#include <optional>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/repack_views.h"

namespace gantry::gpu {

/// iFDK algorithm 2 for any matrices: adds a batch to a slab [z][y][x], a voxel a thread.
/// views: layers [v][u], unfiltered, 0 outside
/// On the stream; the caller checks whether the launch succeeded.
/// Tests: tests/gpu/engine/cone_kernel_test.cpp
void addStandard(const ConeBatch& batch, const ConeSlab& slab, cudaTextureObject_t views,
                 cudaStream_t stream);

/// The paper's shflBP (iFDK listing 1): adds a batch to a z-fastest slab [y][x][z]. A warp takes 32
/// voxels of a column and their mirror images; each warp lane computes what they share in one view,
/// and shuffles distribute it. It needs aligned detectors.
/// mirrorSum: see gpu::mirrorSum(); none: the slab is not its own mirror image
/// views: layers [v][u], or transposed [u][v], unfiltered, 0 outside; nU: columns of a view
/// On the stream; the caller checks whether the launch succeeded.
/// Tests: tests/gpu/engine/cone_kernel_test.cpp
void addShflTexture(const ConeBatch& batch, const ConeSlab& slab, std::optional<int> mirrorSum,
                    cudaTextureObject_t views, int nU, bool transposed, cudaStream_t stream);

/// Does the same through the L1 cache.
void addShflMemory(const ConeBatch& batch, const ConeSlab& slab, std::optional<int> mirrorSum,
                   const BorderedViews& views, bool transposed, cudaStream_t stream);

}  // namespace gantry::gpu
