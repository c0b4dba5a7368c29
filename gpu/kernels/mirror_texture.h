#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"

namespace gantry::gpu {

/// Views that the texture units interpolate, 0 outside, a layer each: [v][u]. The first v is row
/// firstRow of the batch. mirrored: float2 of a row and its mirror image, as repackMirrored()
/// writes them; otherwise float.
struct FilteredTexture {
    cudaTextureObject_t texture = 0;
    int firstRow = 0;
    bool mirrored = false;
};

/// Max views that one launch adds: its arguments hold their numbers.
inline constexpr int kMaxMirrorViews = 64;

/// Adds batches to a slab [z][y][x]. The views of the first are in layers from 0, those of the next
/// behind them. Where views are mirrored, one fetch serves a voxel and its mirror image. Fractions
/// of pixels have 8 bits: relative RMSE about 3e-4 on positive and 4e-3 on zero-mean noise. It
/// needs aligned detectors.
/// count: of batches, of kMaxMirrorViews together at most
/// On the stream; the caller checks whether the launch succeeded.
/// Tests: tests/gpu/engine/cone_kernel_test.cpp
void addMirrorTexture(const ConeBatch* batches, int count, const ConeSlab& slab,
                      const FilteredTexture& views, cudaStream_t stream);

}  // namespace gantry::gpu
