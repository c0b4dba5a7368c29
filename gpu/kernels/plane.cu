#include "gpu/kernels/plane.h"

#include <algorithm>
#include <cstdint>

#include "gpu/kernels/parts.h"
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

namespace {

constexpr int kBlockColumns = 32;
constexpr int kBlockRows = 8;
constexpr int kViewsOfThread = 8;  // they share the position on the detector

__device__ inline float pixelAt(const float* view, const AlignTask& task, int u, int v) {
    const bool isInside = u >= 0 && u < task.columns && v >= 0 && v < task.rows;
    return isInside ? view[static_cast<std::int64_t>(v) * task.columns + u] : 0.0F;
}

// Interpolates in the same order as the CPU, for the same result.
__device__ inline float blended(const float* view, const AlignTask& task, double u, double v) {
    const int i = static_cast<int>(floor(u));
    const int j = static_cast<int>(floor(v));
    const auto du = static_cast<float>(u - floor(u));
    const auto dv = static_cast<float>(v - floor(v));
    const float left = pixelAt(view, task, i, j);
    const float lower = left + du * (pixelAt(view, task, i + 1, j) - left);
    const float above = pixelAt(view, task, i, j + 1);
    const float upper = above + du * (pixelAt(view, task, i + 1, j + 1) - above);
    return lower + dv * (upper - lower);
}

__global__ void alignKernel(const AlignTask task, const float* views, int nS, float* out) {
    const int column = static_cast<int>(blockIdx.x) * kBlockColumns + static_cast<int>(threadIdx.x);
    const int row = static_cast<int>(blockIdx.y) * kBlockRows + static_cast<int>(threadIdx.y);
    if (column >= task.padded || row >= task.rows) return;
    const auto& h = task.toReal;
    const double x = column - task.padBefore;
    const double y = row;
    const double depth = h[2][0] * x + h[2][1] * y + h[2][2];
    const double u = (h[0][0] * x + h[0][1] * y + h[0][2]) / depth;
    const double v = (h[1][0] * x + h[1][1] * y + h[1][2]) / depth;
    // Padding is 0, whatever the real detector has there.
    const bool isMeasured = x >= 0 && x < task.columns && depth > 0 && u > -1 && u < task.columns &&
                            v > -1 && v < task.rows;
    const int first = static_cast<int>(blockIdx.z) * kViewsOfThread;
    const std::int64_t viewPixels = static_cast<std::int64_t>(task.rows) * task.columns;
    for (int s = first; s < min(nS, first + kViewsOfThread); ++s)
        out[(static_cast<std::int64_t>(s) * task.rows + row) * task.padded + column] =
            isMeasured ? blended(views + s * viewPixels, task, u, v) : 0.0F;
}

}  // namespace

void alignViews(const AlignTask& task, const float* views, int nS, float* out,
                cudaStream_t stream) {
    const dim3 blocks(partsOf(task.padded, kBlockColumns), partsOf(task.rows, kBlockRows),
                      partsOf(nS, kViewsOfThread));
    alignKernel<<<blocks, dim3(kBlockColumns, kBlockRows), 0, stream>>>(task, views, nS, out);
}

}  // namespace gantry::gpu
