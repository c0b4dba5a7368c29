#include "gpu/kernels/parallel/parallel_views.h"

#include <cuda_fp16.h>

#include <cmath>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/prepare/filtered_pixel.cuh"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 128;
constexpr unsigned kGreatestExponent = 10;  // of scaled half floats, which end at 2^16

// Pixel u of the row that slice k needs.
__device__ __forceinline__ float slicePixel(const FilteredViews& views, const ParallelView& view,
                                            int s, int k, int nZ, int u) {
    if (k >= nZ) return 0;
    const double row = fma(view.rowStep, static_cast<double>(k), view.firstRow);
    const double whole = floor(row);
    const auto share = static_cast<float>(row - whole);
    const auto v = static_cast<int>(fmin(fmax(whole, -2.0), views.nV + 1.0));
    const float near = filteredPixel(views, s, v, u);
    // Rows that fall on slices are taken as they are.
    if (share < 1e-6F) return near;
    return fmaf(share, filteredPixel(views, s, v + 1, u) - near, near);
}

// Finds the largest absolute pixel, as the bits of a positive float, which compare like whole
// numbers.
__global__ void greatestKernel(const FilteredViews views, unsigned* greatest) {
    const int s = static_cast<int>(blockIdx.y);
    float max = 0;
    for (int v = static_cast<int>(blockIdx.x); v < views.nV; v += static_cast<int>(gridDim.x))
        for (int u = static_cast<int>(threadIdx.x); u < views.nU; u += kThreads)
            max = fmaxf(max, fabsf(filteredPixel(views, s, v, u)));
    for (int lanes = 16; lanes > 0; lanes /= 2)
        max = fmaxf(max, __shfl_xor_sync(0xFFFFFFFFU, max, lanes));
    if (threadIdx.x % 32 == 0) atomicMax(greatest, __float_as_uint(max));
}

// Replaces the largest pixel by the inverse of the power of two that brings it to
// 2^kGreatestExponent.
__global__ void scaleKernel(float* inverseScale) {
    const int exponent = static_cast<int>(__float_as_uint(*inverseScale) >> 23) - 127;
    const int max = static_cast<int>(kGreatestExponent);
    *inverseScale = exponent < -100 ? 1.0F : exp2f(static_cast<float>(exponent - max));
}

template <SliceWord word>
__global__ void __launch_bounds__(kThreads)
    packKernel(const FilteredViews views, const ParallelBatch batch, const int nZ, const int first,
               const ParallelViews to) {
    constexpr int kSlices = slicesOf(word);
    const int column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    const int s = static_cast<int>(blockIdx.y);
    const int group = static_cast<int>(blockIdx.z);
    if (column >= to.columns()) return;
    const ParallelView view = batch.view[s];
    const bool reversed = view.a < 0;
    const int place = column - kParallelBorder;
    const int u = reversed ? to.nU - 1 - place : place;
    float q[kSlices];
#pragma unroll
    for (int n = 0; n < kSlices; ++n)
        q[n] = slicePixel(views, view, s, group * kSlices + n, nZ, u);
    const std::int64_t at =
        (static_cast<std::int64_t>(group) * to.room + first + s) * to.columns() + column;
    if constexpr (word == SliceWord::halfEight) {
        const float scale = 1 / to.inverseScale[first / kMaxViews];
        __half2 packed[4];
#pragma unroll
        for (int n = 0; n < 4; ++n)
            packed[n] = __floats2half2_rn(scale * q[2 * n], scale * q[2 * n + 1]);
        static_cast<uint4*>(to.words)[at] = *reinterpret_cast<const uint4*>(packed);
    } else {
        auto* out = static_cast<float*>(to.words) + at * kSlices;
        if constexpr (word == SliceWord::four)
            *reinterpret_cast<float4*>(out) = {q[0], q[1], q[2], q[3]};
        else if constexpr (word == SliceWord::two)
            *reinterpret_cast<float2*>(out) = {q[0], q[1]};
        else
            *out = q[0];
    }
    if (column > 0 || group > 0) return;
    to.views[first + s] = upright(view, to.nU);
}

template <SliceTexel texel>
__global__ void __launch_bounds__(kThreads)
    textureKernel(const FilteredViews views, const ParallelBatch batch, const int nZ,
                  const int first, const LayeredSurface to) {
    constexpr int kSlices = slicesOf(texel);
    const int u = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    const int s = static_cast<int>(blockIdx.y);
    const int group = static_cast<int>(blockIdx.z);
    if (u >= to.width) return;
    const ParallelView view = batch.view[s];
    const int from = view.a < 0 ? views.nU - 1 - u : u;
    float q[kSlices];
#pragma unroll
    for (int n = 0; n < kSlices; ++n)
        q[n] = slicePixel(views, view, s, group * kSlices + n, nZ, from);
    const int layer = to.firstLayer + group;
    if constexpr (texel == SliceTexel::halfFour) {
        __half2 packed[2] = {__floats2half2_rn(q[0], q[1]), __floats2half2_rn(q[2], q[3])};
        surf2DLayeredwrite(*reinterpret_cast<const uint2*>(packed), to.surface, u * 8, first + s,
                           layer);
    } else if constexpr (texel == SliceTexel::two) {
        surf2DLayeredwrite(float2{q[0], q[1]}, to.surface, u * 8, first + s, layer);
    } else {
        surf2DLayeredwrite(q[0], to.surface, u * 4, first + s, layer);
    }
}

}  // namespace

cudaError_t packParallelViews(const FilteredViews& views, const ParallelBatch& batch, int nZ,
                              int first, const ParallelViews& to, cudaStream_t stream) {
    const dim3 grid(partsOf(to.columns(), kThreads), static_cast<unsigned>(batch.views),
                    partsOf(nZ, slicesOf(to.word)));
    if (to.word == SliceWord::halfEight) {
        float* const inverseScale = to.inverseScale + first / kMaxViews;
        const cudaError_t zeroed = cudaMemsetAsync(inverseScale, 0, sizeof(float), stream);
        if (zeroed != cudaSuccess) return zeroed;
        constexpr int kMaxBlocks = 64;  // a view
        const dim3 parts(static_cast<unsigned>(views.nV < kMaxBlocks ? views.nV : kMaxBlocks),
                         static_cast<unsigned>(batch.views));
        greatestKernel<<<parts, kThreads, 0, stream>>>(views,
                                                       reinterpret_cast<unsigned*>(inverseScale));
        scaleKernel<<<1, 1, 0, stream>>>(inverseScale);
        packKernel<SliceWord::halfEight>
            <<<grid, kThreads, 0, stream>>>(views, batch, nZ, first, to);
    } else if (to.word == SliceWord::four) {
        packKernel<SliceWord::four><<<grid, kThreads, 0, stream>>>(views, batch, nZ, first, to);
    } else if (to.word == SliceWord::two) {
        packKernel<SliceWord::two><<<grid, kThreads, 0, stream>>>(views, batch, nZ, first, to);
    } else {
        packKernel<SliceWord::one><<<grid, kThreads, 0, stream>>>(views, batch, nZ, first, to);
    }
    return cudaGetLastError();
}

cudaError_t packParallelTexture(const FilteredViews& views, const ParallelBatch& batch, int nZ,
                                int first, SliceTexel texel, const LayeredSurface& to,
                                cudaStream_t stream) {
    const dim3 grid(partsOf(to.width, kThreads), static_cast<unsigned>(batch.views),
                    partsOf(nZ, slicesOf(texel)));
    if (texel == SliceTexel::halfFour)
        textureKernel<SliceTexel::halfFour>
            <<<grid, kThreads, 0, stream>>>(views, batch, nZ, first, to);
    else if (texel == SliceTexel::two)
        textureKernel<SliceTexel::two><<<grid, kThreads, 0, stream>>>(views, batch, nZ, first, to);
    else
        textureKernel<SliceTexel::one><<<grid, kThreads, 0, stream>>>(views, batch, nZ, first, to);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
