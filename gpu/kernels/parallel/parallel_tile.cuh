#pragma once

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime_api.h>

#include "gpu/kernels/parallel/parallel_views.h"

namespace gantry::gpu {

// Shared by the kernels that keep a tile's footprint in shared memory.

constexpr int kTileVoxels = 32;  // along x and y
// Max pixels of a tile's footprint: 31·√2, and those beside its ends.
constexpr int kTilePixels = 48;
static_assert(kTilePixels <= kParallelBorder, "footprints end within the border");

// A view on a tile; a ≥ 0. Pixels count from the first of the footprint.
struct __align__(16) TileRow {
    float a;
    float b;
    float c;    // at the tile's first voxel
    int first;  // pixel of the repacked row
};

__device__ inline TileRow tileRow(const ParallelView& view, int x, int y, int nU) {
    const double c =
        fma(view.a, static_cast<double>(x), fma(view.b, static_cast<double>(y), view.c));
    const double min = c + (view.b < 0 ? view.b * (kTileVoxels - 1) : 0.0);
    // The margin keeps every voxel's place from being rounded to before the first pixel.
    constexpr double kMargin = 1e-3;
    const double first = floor(min - kMargin);
    // Everything beside the row is 0, so any place of the border will do.
    if (!(first > -kTilePixels && first < nU)) return {0, 0, 0, 0};
    return {static_cast<float>(view.a), static_cast<float>(view.b), static_cast<float>(c - first),
            static_cast<int>(first) + kParallelBorder};
}

// The whole-number and fractional parts of a pixel's place. The magic number leaves the whole
// number in the mantissa's low bits.
struct RowPlace {
    unsigned bits;
    float share;
};
constexpr unsigned kRowMagicBits = 0x4B000000U;  // 2^23
__device__ __forceinline__ RowPlace rowPlace(float u) {
    constexpr float kRowMagic = 8388608.0F;
    const float magic = __fadd_rd(u, kRowMagic);
    return {__float_as_uint(magic), u - (magic - kRowMagic)};
}

// Loads sixteen bytes of shared memory, `offset` bytes from an address that may have wrapped
// around: the magic number's own bits are subtracted from its base. A compiler would not fold that.
template <int offset>
__device__ __forceinline__ uint4 loadShared16(unsigned address) {
    uint4 word;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4 + %5];"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "r"(address), "n"(offset));
    return word;
}

// Voxel of a 4 × 4 square by its place on the Z-order curve.
__device__ __forceinline__ int2 zOrder(int place) {
    return {(place & 1) | ((place >> 1) & 2), ((place >> 1) & 1) | ((place >> 2) & 2)};
}

}  // namespace gantry::gpu
