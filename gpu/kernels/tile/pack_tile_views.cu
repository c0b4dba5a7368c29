#include "gpu/kernels/tile/tile.h"

#include <cstdint>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/prepare/filtered_pixel.cuh"

namespace gantry::gpu {

namespace {

constexpr int kColumns = 32;
constexpr int kPairs = 32;  // of rows
constexpr int kAtOnce = 8;

// The factor for each view's pixels.
struct Scales {
    float of[kMaxViews];
};

Scales scalesOf(const ConeBatch& batch, bool perStep) {
    Scales scales{};
    for (int s = 0; s < batch.views; ++s)
        scales.of[s] =
            perStep ? static_cast<float>(1 / (batch.m[s][1][2] * batch.m[s][1][2])) : 1.0F;
    return scales;
}

// Stores rows v, which is even, and v + 1 of a column whose pixels begin at `column`.
__device__ __forceinline__ void storeRows(const TileViews& to, std::int64_t column, int v,
                                          float2 left, float2 right) {
    const std::int64_t even = column + v / 2;
    const std::int64_t odd = even + to.rows / 2;
    if (to.order == TileOrder::splitPixels) {
        static_cast<float*>(to.pixels)[even] = left.x;
        static_cast<float*>(to.pixels)[odd] = left.y;
    } else {
        static_cast<float4*>(to.pixels)[(column + v) / 2] = {left.x, right.x - left.x, left.y,
                                                             right.y - left.y};
    }
}

// A block transposes pairs of rows through shared memory, so that it reads along u and writes along
// v; the odd pitch keeps both free of bank conflicts.
__global__ void packTileViewsKernel(const FilteredViews views, const Scales scales,
                                    const TileViews to) {
    __shared__ float2 tile[kColumns + 1][kPairs + 1];
    const int s = static_cast<int>(blockIdx.z);
    const int uBegin = static_cast<int>(blockIdx.x) * kColumns - 1;
    const int vBegin = static_cast<int>(blockIdx.y) * kPairs * 2;
    const int lane = static_cast<int>(threadIdx.x);
    const int first = static_cast<int>(threadIdx.y);
    const float scale = scales.of[s];
    const auto load = [&](int column, int pair) {
        const float2 rows = filteredRowPair(views, s, vBegin + 2 * pair, uBegin + column);
        tile[column][pair] = {scale * rows.x, scale * rows.y};
    };
#pragma unroll
    for (int pair = first; pair < kPairs; pair += kAtOnce)
        load(lane, pair);
    if (first == 0) load(kColumns, lane);  // the last column's neighbour
    __syncthreads();
    const int v = vBegin + 2 * lane;
    if (v >= to.rows) return;
#pragma unroll
    for (int column = first; column < kColumns; column += kAtOnce) {
        const int c = uBegin + 1 + column;
        if (c >= to.columns) break;
        storeRows(to, (static_cast<std::int64_t>(s) * to.columns + c) * to.rows, v,
                  tile[column][lane], tile[column + 1][lane]);
    }
}

}  // namespace

cudaError_t packTileViews(const FilteredViews& views, const ConeBatch& batch, const TileViews& to,
                          cudaStream_t stream) {
    const dim3 grid(partsOf(to.columns, kColumns), partsOf(to.rows, 2 * kPairs),
                    static_cast<unsigned>(views.nS));
    packTileViewsKernel<<<grid, dim3(kColumns, kAtOnce), 0, stream>>>(
        views, scalesOf(batch, to.perStep), to);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
