#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/parallel/parallel_views.h"

namespace gantry::gpu {

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
