#include "gpu/kernels/transpose_slab.h"

#include <cstdint>

namespace gantry::gpu {

namespace {

constexpr int kTile = 32;
constexpr int kTileRows = 8;  // that the threads of a block take at a time

// Columns are numbered y·nX + x. Both sides are touched in runs of 32 floats; the odd pitch keeps
// a tile's columns on different banks.
__global__ void transposeKernel(const float* __restrict__ slab, std::int64_t columns,
                                std::int64_t nZ, std::int64_t zBegin, std::int64_t zEnd,
                                float* __restrict__ out) {
    __shared__ float tile[kTile][kTile + 1];
    const std::int64_t firstColumn = std::int64_t{blockIdx.x} * kTile;
    const std::int64_t firstZ = zBegin + std::int64_t{blockIdx.y} * kTile;
    for (int i = threadIdx.y; i < kTile; i += kTileRows) {
        const std::int64_t column = firstColumn + i;
        const std::int64_t z = firstZ + threadIdx.x;
        if (column < columns && z < zEnd) tile[i][threadIdx.x] = slab[column * nZ + z];
    }
    __syncthreads();
    for (int i = threadIdx.y; i < kTile; i += kTileRows) {
        const std::int64_t column = firstColumn + threadIdx.x;
        const std::int64_t z = firstZ + i;
        if (column < columns && z < zEnd)
            out[(z - zBegin) * columns + column] = tile[threadIdx.x][i];
    }
}

}  // namespace

void transposeSlab(const float* slab, int nX, int nY, int nZ, int zBegin, int zEnd, float* out,
                   cudaStream_t stream) {
    const std::int64_t columns = std::int64_t{nX} * nY;
    if (columns <= 0 || zEnd <= zBegin) return;
    const dim3 threads(kTile, kTileRows);
    const dim3 blocks(static_cast<unsigned>((columns + kTile - 1) / kTile),
                      static_cast<unsigned>((zEnd - zBegin + kTile - 1) / kTile));
    transposeKernel<<<blocks, threads, 0, stream>>>(slab, columns, nZ, zBegin, zEnd, out);
}

}  // namespace gantry::gpu
