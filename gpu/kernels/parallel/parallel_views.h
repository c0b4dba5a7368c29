#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <optional>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/prepare/filtered_views.h"
#include "gpu/kernels/repack_views.h"

namespace gantry::gpu {

/// One view of a parallel beam square to the volume's z axis, on voxel indices: pixel u = a·i + b·j
/// + c of row v = rowStep·k + firstRow.
struct ParallelView {
    double a = 0;
    double b = 0;
    double c = 0;
    double rowStep = 1;
    double firstRow = 0;
};

/// The same view of nU pixels with a ≥ 0: pixels are in reverse order where a is negative.
__host__ __device__ inline ParallelView upright(const ParallelView& view, int nU) {
    if (!(view.a < 0)) return view;
    return {-view.a, -view.b, nU - 1 - view.c, view.rowStep, view.firstRow};
}

/// It is small enough to be a kernel's argument.
struct ParallelBatch {
    ParallelView view[kMaxViews];
    int views = 0;
};

/// The batch as views of a parallel beam; none if a view is not one, or if its rows are not
/// parallel to the slices. Tests: tests/gpu/kernels/parallel_batch_test.cpp
inline std::optional<ParallelBatch> parallelBatch(const ConeBatch& batch) {
    constexpr double kTolerance = 1e-10;  // a voxel: a millionth of a pixel over 10,000 voxels
    ParallelBatch result;
    result.views = batch.views;
    for (int s = 0; s < batch.views; ++s) {
        const auto& m = batch.m[s];
        const double w = m[2][3];
        const double across = std::abs(m[2][0]) + std::abs(m[2][1]) + std::abs(m[2][2]);
        const double oblique = std::abs(m[0][2]) + std::abs(m[1][0]) + std::abs(m[1][1]);
        if (!(w > 0) || across > kTolerance * w || oblique > kTolerance * w) return {};
        result.view[s] = {m[0][0] / w, m[0][1] / w, m[0][3] / w, m[1][2] / w, m[1][3] / w};
    }
    return result;
}

/// What a word of repacked views holds: one pixel of so many slices side by side.
enum class SliceWord {
    one,        ///< float
    two,        ///< float2
    four,       ///< float4
    halfEight,  ///< eight half floats, 16 bytes
};
__host__ __device__ constexpr int slicesOf(SliceWord word) {
    return word == SliceWord::one    ? 1
           : word == SliceWord::two  ? 2
           : word == SliceWord::four ? 4
                                     : 8;
}
constexpr std::size_t bytesOf(SliceWord word) {
    return word == SliceWord::one ? 4 : word == SliceWord::two ? 8 : 16;
}

/// Zeros before and after each row, so that a tile's footprint always ends within them.
inline constexpr int kParallelBorder = 48;

/// Views of a parallel beam repacked for a slab, [word of slices][view][pixel]. Where a is negative
/// the pixels are in reverse order, and `views` has the numbers of upright().
struct ParallelViews {
    void* words = nullptr;
    ParallelView* views = nullptr;  ///< on the device
    /// On the device, for half floats: value of view s = word · inverseScale[s / kMaxViews]
    float* inverseScale = nullptr;
    int nU = 0;
    int room = 0;  ///< views there is room for
    SliceWord word = SliceWord::four;

    __host__ __device__ int columns() const { return nU + 2 * kParallelBorder; }
};

/// Bytes of ParallelViews::words for slices [0, nZ): whole groups of four words, because kernels
/// may read some that no slice needs.
inline std::size_t parallelBytes(SliceWord word, int nZ, int views, int nU) {
    const int slices = 4 * slicesOf(word);
    return static_cast<std::size_t>((nZ + slices - 1) / slices * 4) *
           static_cast<std::size_t>(views) * static_cast<std::size_t>(nU + 2 * kParallelBorder) *
           bytesOf(word);
}

/// Repacks views for the slices [0, nZ) of a slab, interpolating between the two rows beside a
/// slice; rows outside are 0. They are numbered from `first` in `to`, a multiple of kMaxViews.
/// Half floats are scaled by a power of two so that the batch's largest pixel is near 1000.
/// On the stream. @returns the launches' own result
/// Tests: tests/gpu/engine/parallel_kernel_test.cpp
cudaError_t packParallelViews(const FilteredViews& views, const ParallelBatch& batch, int nZ,
                              int first, const ParallelViews& to, cudaStream_t stream);

/// Pixel formats of a layered texture whose layers are words of slices and whose lines are views.
enum class SliceTexel {
    one,       ///< float
    two,       ///< float2
    halfFour,  ///< four half floats
};
__host__ __device__ constexpr int slicesOf(SliceTexel texel) {
    return texel == SliceTexel::one ? 1 : texel == SliceTexel::two ? 2 : 4;
}

/// Repacks them into a surface, without borders and also in the order of upright(): lines from
/// `first` on, one layer for each word of slices. Half floats are not scaled.
cudaError_t packParallelTexture(const FilteredViews& views, const ParallelBatch& batch, int nZ,
                                int first, SliceTexel texel, const LayeredSurface& to,
                                cudaStream_t stream);

}  // namespace gantry::gpu
