#include <algorithm>
#include <cstdint>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/plane.h"
#include "gpu/kernels/tile/local_view.h"

namespace gantry::gpu {

namespace {

// A block makes a square of pixels, so that its footprint on any view is compact whichever way the
// plane faces; a warp fetches 8 × 4 neighbours at a time.
constexpr int kTile = 32;
constexpr int kWarpColumns = 8;
constexpr int kWarpRows = 4;
constexpr int kWarpsAcross = kTile / kWarpColumns;
// of a thread, one above the other: they share what depends on the column only
constexpr int kPixels = 4;
constexpr int kPassRows = kTile / kPixels;
constexpr int kThreads = kTile * kPassRows;
constexpr int kChunkViews = 64;
constexpr int kViewLoads = sizeof(PlaneView) / sizeof(float4);

// Fetches all four neighbours at pixel centres, where the hardware has nothing to blend.
__device__ inline float blendedExactly(cudaTextureObject_t views, float u, float v, int layer) {
    const float left = floorf(u - 0.5F);
    const float lower = floorf(v - 0.5F);
    const float du = u - 0.5F - left;
    const float dv = v - 0.5F - lower;
    const auto row = [&](float y) {
        const float a = tex2DLayered<float>(views, left + 0.5F, y, layer);
        const float b = tex2DLayered<float>(views, left + 1.5F, y, layer);
        return fmaf(du, b - a, a);
    };
    const float below = row(lower + 0.5F);
    return fmaf(dv, row(lower + 1.5F) - below, below);
}

template <bool exact>
__device__ inline void addView(const PlaneView& m, float column, float row,
                               cudaTextureObject_t views, int layer, float (&sums)[kPixels]) {
    const float4 mu = *reinterpret_cast<const float4*>(m.u);
    const float4 mv = *reinterpret_cast<const float4*>(m.v);
    const float4 mz = *reinterpret_cast<const float4*>(m.z);
    const float u0 = fmaf(mu.x, column, mu.z);
    const float v0 = fmaf(mv.x, column, mv.z);
    const float z0 = fmaf(mz.x, column, mz.z);
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
        const float y = row + static_cast<float>(i * kPassRows);
        const float z = fmaf(mz.y, y, z0);
        // nearReciprocal is off by one unit in the last place, which is 1e-4 pixels at u = 1000:
        // texture fractions are coarser.
        const float f = z > kMinDepthMm ? (exact ? __frcp_rn(z) : nearReciprocal(z)) : 0.0F;
        const float u = fmaf(mu.y, y, u0) * f;
        const float v = fmaf(mv.y, y, v0) * f;
        const float q =
            exact ? blendedExactly(views, u, v, layer) : tex2DLayered<float>(views, u, v, layer);
        sums[i] = fmaf(f * f, q, sums[i]);
    }
}

template <bool exact>
__global__ void __launch_bounds__(kThreads)
    addPlanesKernel(const PlaneBatch batch, cudaTextureObject_t views, int nS) {
    __shared__ float4 chunk[kChunkViews * kViewLoads];
    const PlanePicture& plane = batch.planes[blockIdx.z];
    const int left = static_cast<int>(blockIdx.x) * kTile;
    const int bottom = static_cast<int>(blockIdx.y) * kTile;
    // The launch's grid fits the largest plane, so smaller ones have blocks to spare.
    if (left >= plane.columns || bottom >= plane.rows) return;

    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const int lane = thread % 32;
    const int column = left + warp % kWarpsAcross * kWarpColumns + lane % kWarpColumns;
    const int row = bottom + warp / kWarpsAcross * kWarpRows + lane / kWarpColumns;
    const auto* loads = reinterpret_cast<const float4*>(plane.views);
    float sums[kPixels] = {};
    for (int first = 0; first < nS; first += kChunkViews) {
        const int count = min(kChunkViews, nS - first);
        __syncthreads();
        for (int i = thread; i < count * kViewLoads; i += kThreads)
            chunk[i] = loads[first * kViewLoads + i];
        __syncthreads();
        const auto* matrices = reinterpret_cast<const PlaneView*>(chunk);
        for (int s = 0; s < count; ++s)
            addView<exact>(matrices[s], static_cast<float>(column), static_cast<float>(row), views,
                           first + s, sums);
    }
    if (column >= plane.columns) return;
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
        const int y = row + i * kPassRows;
        if (y < plane.rows) plane.pixels[std::int64_t{y} * plane.columns + column] += sums[i];
    }
}

}  // namespace

void addPlanes(const PlaneBatch& batch, cudaTextureObject_t views, int nS, bool exact,
               cudaStream_t stream) {
    int columns = 0;
    int rows = 0;
    for (int i = 0; i < batch.count; ++i) {
        columns = std::max(columns, batch.planes[i].columns);
        rows = std::max(rows, batch.planes[i].rows);
    }
    if (columns <= 0 || rows <= 0) return;
    const dim3 blocks(partsOf(columns, kTile), partsOf(rows, kTile), batch.count);
    if (exact)
        addPlanesKernel<true><<<blocks, kThreads, 0, stream>>>(batch, views, nS);
    else
        addPlanesKernel<false><<<blocks, kThreads, 0, stream>>>(batch, views, nS);
}

}  // namespace gantry::gpu
