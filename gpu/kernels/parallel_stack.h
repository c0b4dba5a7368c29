#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/parallel_views.h"

namespace gantry::gpu {

/// Views that one launch adds at most. Sums of more would lose digits, and a launch that reads and
/// writes the slab once for so many is hardly slower than one for all.
inline constexpr int kMostStackViews = 512;

/// Which of the kernel's forms views take on a slab; the later ones also take views of the earlier.
enum class StackForm {
    square,  ///< a voxel as wide as a pixel or a little less: steps a, |b| ≤ 1 ≤ a + |b|
    fine,    ///< smaller voxels: steps ≤ 1
    coarse,  ///< larger ones, straight from device memory
};
StackForm stackForm(const ParallelBatch& batch);

/// Adds views of a parallel beam to a slab [z][y][x]: I(i,j) += interp1(q, a·i + b·j + c), 0
/// outside (balancing-gpu-subsystems-parallel-beam, section II). Exact in fp32 of words of four
/// slices; of half floats, weights and sums of eight views are halves too, of 11 bits.
///
/// A thread adds 2 × 2 voxels of 16 slices, or of 8 of a slab that has no more. No step is more
/// than a pixel, so that all four voxels lie within four pixels, which are fetched once: half of
/// the fetches of a kernel that goes from voxel to voxel. All slices share the pixels' weights.
///
/// words of four or of half floats; views [0, count); count ≤ kMostStackViews
/// form: that of these views, or coarse
/// On the stream. @returns the launch's own result
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp
cudaError_t addParallelStack(const ParallelViews& views, int count, StackForm form,
                             const ConeSlab& slab, cudaStream_t stream);

}  // namespace gantry::gpu
