#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/parallel/parallel_texture.h"
#include "gpu/kernels/parallel/parallel_views.h"

namespace gantry::gpu {

/// Max views that one launch of these kernels adds.
inline constexpr int kMaxAluViews = 512;

/// How pixels of a tile's footprint are read from shared memory.
enum class AluRead {
    linear,       ///< two pixels, interpolated in fp32
    oversampled,  ///< the nearest of four positions a pixel, interpolated on the way to shared
                  ///< memory
};

/// Adds views to a slab [z][y][x]: each block has its footprints in shared memory, and the ordinary
/// units interpolate (balancing-gpu-subsystems-parallel-beam, section III-C). Positions are rounded
/// by adding a magic number, without the special function units.
/// views: words of one or two slices; of StackForm square or fine; count ≤ kMaxAluViews
/// On the stream. @returns the launch's own result
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp
cudaError_t addParallelAlu(const ParallelViews& views, int count, AluRead read,
                           const ConeSlab& slab, cudaStream_t stream);

/// The first `texture` of every `period` blocks that a multiprocessor starts use its texture units.
struct HybridRatio {
    int texture = 1;
    int period = 2;
};

/// Runs both algorithms in the blocks of one launch (section III-D).
/// begun: how many blocks each multiprocessor has started; on the device, kMaxMultiprocessors
/// texture: the same views; one or two slices as `views` has
inline constexpr int kMaxMultiprocessors = 512;
cudaError_t addParallelHybrid(const ParallelViews& views, const SliceTexture& texture, int count,
                              const HybridRatio& ratio, unsigned* begun, const ConeSlab& slab,
                              cudaStream_t stream);

}  // namespace gantry::gpu
