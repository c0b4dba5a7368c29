#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"
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

/// Max views that one launch adds. Sums of more would lose digits, and reading and writing the slab
/// once for so many costs hardly more than once for all.
inline constexpr int kMaxStackViews = 512;

/// The forms of the kernel for views on a slab; a later form also takes the views of an earlier
/// one.
enum class StackForm {
    square,  ///< voxels as wide as a pixel or a little less: steps a, |b| ≤ 1 ≤ a + |b|
    fine,    ///< smaller voxels: steps ≤ 1
    coarse,  ///< larger voxels, fetched straight from device memory
};
StackForm stackForm(const ParallelBatch& batch);

/// Adds views of a parallel beam to a slab [z][y][x]: I(i,j) += interp1(q, a·i + b·j + c), 0
/// outside (balancing-gpu-subsystems-parallel-beam, section II). Words of four slices are added
/// exactly in fp32; with half floats, weights and sums of eight views are halves too, of 11 bits.
///
/// A thread adds 2 × 2 voxels of 16 slices, or of 8 where a slab has no more. No step is more than
/// a pixel, so all four voxels lie within four pixels, which are fetched once: half the fetches of
/// a kernel that goes from voxel to voxel. All slices share the pixels' weights.
///
/// views: words of four or of half floats; views [0, count); count ≤ kMaxStackViews
/// form: that of these views, or coarse
/// On the stream. @returns the launch's own result
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp
cudaError_t addParallelStack(const ParallelViews& views, int count, StackForm form,
                             const ConeSlab& slab, cudaStream_t stream);

}  // namespace gantry::gpu
