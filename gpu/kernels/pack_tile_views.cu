#include "gpu/kernels/pack_tile_views.h"

#include <cstdint>

#include "gpu/kernels/filtered_pixel.cuh"
#include "gpu/kernels/parts.h"

namespace gantry::gpu {

namespace {

constexpr int kSide = 32;
constexpr int kRowsAtOnce = 8;

// A block transposes 32 rows × 32 columns through shared memory, so that it reads along u and
// writes along v.
__global__ void packTileViewsKernel(FilteredViews views, TileViews to) {
    __shared__ float tile[kSide][kSide + 2];
    const int s = static_cast<int>(blockIdx.z);
    const int uBegin = static_cast<int>(blockIdx.x) * kSide - 1;
    const int vBegin = static_cast<int>(blockIdx.y) * kSide;
    for (int row = static_cast<int>(threadIdx.y); row < kSide; row += kRowsAtOnce) {
        const int column = static_cast<int>(threadIdx.x);
        tile[row][column] = filteredPixel(views, s, vBegin + row, uBegin + column);
        if (column == 0) tile[row][kSide] = filteredPixel(views, s, vBegin + row, uBegin + kSide);
    }
    __syncthreads();
    // Where rows are split, a warp still writes two stretches without gaps.
    const int lane = static_cast<int>(threadIdx.x);
    const int row = isSplit(to.order) ? lane % 16 * 2 + lane / 16 : lane;
    const int v = vBegin + row;
    if (v >= to.rows) return;
    const int place = isSplit(to.order) ? v % 2 * (to.rows / 2) + v / 2 : v;
    for (int column = static_cast<int>(threadIdx.y); column < kSide; column += kRowsAtOnce) {
        const int c = uBegin + 1 + column;
        if (c >= to.columns) break;
        const float left = tile[row][column];
        const std::int64_t pixel =
            (static_cast<std::int64_t>(s) * to.columns + c) * to.rows + place;
        if (to.order == TileOrder::splitPixels)
            static_cast<float*>(to.pixels)[pixel] = left;
        else
            static_cast<float2*>(to.pixels)[pixel] =
                make_float2(left, tile[row][column + 1] - left);
    }
}

}  // namespace

cudaError_t packTileViews(const FilteredViews& views, const TileViews& to, cudaStream_t stream) {
    const dim3 grid(partsOf(to.columns, kSide), partsOf(to.rows, kSide),
                    static_cast<unsigned>(views.nS));
    packTileViewsKernel<<<grid, dim3(kSide, kRowsAtOnce), 0, stream>>>(views, to);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
