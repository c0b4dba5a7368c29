#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/parallel/parallel_batch.h"
#include "gpu/kernels/parallel/parallel_views.h"

namespace gantry::gpu {

/// Max views that one launch adds: its arguments hold them.
inline constexpr int kMaxTextureViews = 256;

/// How threads share a slice's voxels and the views.
enum class TextureMapping {
    standard,   ///< a thread a voxel, and all views
    optimised,  ///< the paper's: 4 × 4 voxels on a Z-order curve; a thread takes a quarter of the
                ///< views
};

/// Layers of views that the texture units interpolate along a line; see packParallelTexture().
struct SliceTexture {
    cudaTextureObject_t texture = 0;
    SliceTexel texel = SliceTexel::one;
    bool forged = false;  ///< four half floats declared as float2: fetched unchanged, nearest pixel
};

/// Adds views to a slab [z][y][x] by the texture units (balancing-gpu-subsystems-parallel-beam,
/// section III-B), 1, 2 or 4 slices a fetch. Fractions of pixels have 8 bits.
/// views: of the texture's lines firstLine …, each upright(); count ≤ kMaxTextureViews
/// On the stream. @returns the launch's own result
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp
cudaError_t addParallelTexture(const ParallelView* views, int count, int firstLine,
                               const SliceTexture& texture, TextureMapping mapping,
                               const ConeSlab& slab, cudaStream_t stream);

}  // namespace gantry::gpu
