#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/parallel_texture.h"
#include "gpu/kernels/parallel_views.h"

namespace gantry::gpu {

/// Views that one launch of these kernels adds at most.
inline constexpr int kMostAluViews = 512;

/// How a pixel is read from a tile's footprint in shared memory.
enum class AluRead {
    linear,       ///< two pixels, interpolated in fp32
    oversampled,  ///< the nearest of four positions a pixel, interpolated as they are brought there
};

/// Adds views to a slab [z][y][x]: a block's footprints in shared memory, interpolated by the
/// ordinary units (balancing-gpu-subsystems-parallel-beam, section III-C). Rounding by the magic
/// number, without the special function units.
/// views: words of one or two slices; of StackForm square or fine; count ≤ kMostAluViews
/// On the stream. @returns the launch's own result
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp
cudaError_t addParallelAlu(const ParallelViews& views, int count, AluRead read,
                           const ConeSlab& slab, cudaStream_t stream);

/// Of every `period` blocks that a multiprocessor begins, the first `texture` use texture units.
struct HybridRatio {
    int texture = 1;
    int period = 2;
};

/// Both algorithms in the blocks of one launch (section III-D).
/// begun: of each multiprocessor, blocks that it has begun; on the device, kMostMultiprocessors
/// texture: the same views; one or two slices as `views` has
inline constexpr int kMostMultiprocessors = 512;
cudaError_t addParallelHybrid(const ParallelViews& views, const SliceTexture& texture, int count,
                              const HybridRatio& ratio, unsigned* begun, const ConeSlab& slab,
                              cudaStream_t stream);

}  // namespace gantry::gpu
