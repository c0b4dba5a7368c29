#include "gpu/kernels/transpose.h"

namespace gantry::gpu {

namespace {

constexpr int kTile = 32;
constexpr int kTileRows = 8;

// Both sides are touched in runs of 32 floats; the odd pitch keeps a tile's columns on different
// banks. Tiles are numbered along x, whose limit is the only one that millions of rows do not pass.
template <bool adds>
__global__ void transposeKernel(const float* __restrict__ from, const MatrixLayout fromLayout,
                                std::int64_t rows, std::int64_t columns, float* __restrict__ to,
                                const MatrixLayout toLayout) {
    __shared__ float tile[kTile][kTile + 1];
    const std::int64_t across = (columns + kTile - 1) / kTile;
    const std::int64_t row = blockIdx.x / across * kTile;
    const std::int64_t column = blockIdx.x % across * kTile;
    from += blockIdx.y * fromLayout.stride;
    to += blockIdx.y * toLayout.stride;
    for (int i = threadIdx.y; i < kTile; i += kTileRows)
        if (row + i < rows && column + threadIdx.x < columns)
            tile[i][threadIdx.x] = from[(row + i) * fromLayout.pitch + column + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < kTile; i += kTileRows) {
        if (row + threadIdx.x >= rows || column + i >= columns) continue;
        float& out = to[(column + i) * toLayout.pitch + row + threadIdx.x];
        out = tile[threadIdx.x][i] + (adds ? out : 0.0F);
    }
}

}  // namespace

void transpose(const float* from, const MatrixLayout& fromLayout, std::int64_t rows,
               std::int64_t columns, float* to, const MatrixLayout& toLayout, int count, bool adds,
               cudaStream_t stream) {
    if (rows <= 0 || columns <= 0 || count <= 0) return;
    const auto tiles =
        static_cast<unsigned>((rows + kTile - 1) / kTile * ((columns + kTile - 1) / kTile));
    const dim3 blocks(tiles, static_cast<unsigned>(count));
    const dim3 threads(kTile, kTileRows);
    if (adds)
        transposeKernel<true>
            <<<blocks, threads, 0, stream>>>(from, fromLayout, rows, columns, to, toLayout);
    else
        transposeKernel<false>
            <<<blocks, threads, 0, stream>>>(from, fromLayout, rows, columns, to, toLayout);
}

}  // namespace gantry::gpu
