#pragma once

#include <cstdint>

#include "gpu/kernels/local_view.h"
#include "gpu/kernels/tile_barrier.cuh"
#include "gpu/kernels/tile_view.cuh"

namespace gantry::gpu {

constexpr int kMostStages = 4;
// Added, it leaves in the mantissa a row's integer, or half of an even one's where rows are split.
template <bool split>
constexpr float kMagic = split ? 25165824.0F : 12582912.0F;  // 1.5 · 2^24 or 1.5 · 2^23
template <bool split>
constexpr unsigned kMagicBits = split ? 0x4BC00000U : 0x4B400000U;

// One column of a tile in one view. Rows count from the footprint's middle: small numbers have fine
// fractions.
struct __align__(16) Column {
    float v;           // at the tile's middle height
    float step;        // a voxel upwards
    float du;          // fraction between columns
    unsigned address;  // of its middle row, less what the magic number's own bits add
};

// 1/z to the last bit but one, without the slow path of a division.
__device__ __forceinline__ float refinedReciprocal(float z) {
    const float estimate = nearReciprocal(z);
    return fmaf(estimate, fmaf(-z, estimate, 1.0F), estimate);
}

// Column i, j of the tile; `column` counts in the box. The address is left to the caller.
__device__ __forceinline__ Column columnAt(const TileView& view, int i, int j, int& column) {
    const auto x = static_cast<float>(min(i, view.lastX));
    const auto y = static_cast<float>(min(j, view.lastY));
    const float perDepth = refinedReciprocal(fmaf(view.zX, x, fmaf(view.zY, y, view.z0)));
    const float u = fmaf(view.uX, x, fmaf(view.uY, y, view.u0)) * perDepth;
    const float v = fmaf(view.vX, x, fmaf(view.vY, y, view.v0)) * perDepth;
    const float floorU = floorf(u);
    column = static_cast<int>(floorU);
    return {v, view.vZ * perDepth, u - floorU, 0};
}

// Address of a pixel whose row, or half row, the magic number left in a float's mantissa.
template <class S>
__device__ __forceinline__ unsigned pixelAddress(float magicRow, unsigned column) {
    return __float_as_uint(magicRow) * pixelBytes(S::order) + column;
}

// A pixel interpolated along u. Offset: of it from the address, bytes.
template <class S, int Offset>
__device__ __forceinline__ float blendColumns(unsigned address, float du) {
    if constexpr (S::order == TileOrder::splitPixels) {
        float left, right;
        asm("ld.shared.f32 %0, [%1 + %2];" : "=f"(left) : "r"(address), "n"(Offset));
        asm("ld.shared.f32 %0, [%1 + %2];"
            : "=f"(right)
            : "r"(address), "n"(Offset + S::boxRows * pixelBytes(S::order)));
        return fmaf(du, right - left, left);
    } else {
        float2 pair;
        asm("ld.shared.v2.f32 {%0, %1}, [%2 + %3];"
            : "=f"(pair.x), "=f"(pair.y)
            : "r"(address), "n"(Offset));
        return fmaf(du, pair.y, pair.x);
    }
}

// A voxel's sample: `column` is the shared address of its column's row 0, less what the magic
// number's own bits add.
template <class S>
__device__ __forceinline__ float sample(float v, float du, unsigned column, unsigned oddRows) {
    constexpr float kOf = kMagic<S::split>;
    if constexpr (S::split) {
        // Of the two rows around v one is even and one odd: lanes that step by up to two rows then
        // read each plane without bank conflicts. The odd row weighs as much as v is away from the
        // even one.
        const float odd = __fadd_rd(v, kOf);
        const float even = __fadd_rn(v, kOf);
        // Where boxes have a fixed size, loads know the distance of odd rows.
        constexpr int kOddRows = S::boxRows * pixelBytes(S::order) / 2;
        const float a = blendColumns<S, 0>(pixelAddress<S>(even, column), du);
        const float b = blendColumns<S, kOddRows>(
            pixelAddress<S>(odd, kOddRows > 0 ? column : column + oddRows), du);
        return fmaf(fabsf(v - (even - kOf)), b - a, a);
    } else {
        const float row = __fadd_rd(v, kOf);
        const unsigned address = pixelAddress<S>(row, column);
        const float a = blendColumns<S, 0>(address, du);
        const float b = blendColumns<S, pixelBytes(S::order)>(address, du);
        return fmaf(v - (row - kOf), b - a, a);
    }
}

// What a block keeps in shared memory: this, then the stages, each a head and a box of pairs.
struct TileMemory {
    TileView views[kMostViews];
    std::uint64_t full[kMostStages];   // a stage's pixels and constants are there
    std::uint64_t empty[kMostStages];  // and have been used
};

template <class S>
struct StageHead {
    Column columns[S::columns];
    unsigned oddRows;  // bytes from a column's even rows to its odd ones, where split
};

// The column that a lane is at in the first round of its warp; the next ones are S::atOnce apart.
template <class S>
__device__ __forceinline__ int firstColumn(int warp, int lane) {
    return warp * S::rounds * S::atOnce + lane / S::up;
}

// The lowest of a lane's voxels in its column; the next ones are S::lanes apart.
template <class S>
__device__ __forceinline__ int laneSlice(int lane) {
    return S::lanes < S::up ? min(lane % S::up, S::lanes - 1) : lane % S::up;
}

// Adds one view to the voxels that this warp's lanes hold.
template <class S>
__device__ __forceinline__ void addView(const StageHead<S>& head, int warp, int lane,
                                        float (&sums)[S::rounds][S::perLane]) {
    const auto lowest = static_cast<float>(laneSlice<S>(lane) - S::z / 2);
    const Column* columns = head.columns + firstColumn<S>(warp, lane);
    const unsigned oddRows = S::split ? head.oddRows : 0;
#pragma unroll
    for (int round = 0; round < S::rounds; ++round) {
        const Column k = columns[S::atOnce * round];
        const float weight = k.step * k.step;  // 1/z², as pixels are scaled
        const float vLowest = fmaf(lowest, k.step, k.v);
#pragma unroll
        for (int j = 0; j < S::perLane; ++j) {
            const float v =
                j == 0 ? vLowest : fmaf(static_cast<float>(j * S::lanes), k.step, vLowest);
            sums[round][j] = fmaf(weight, sample<S>(v, k.du, k.address, oddRows), sums[round][j]);
        }
    }
}

// Adds the sums of a warp's columns to the slab, as far as its voxels exist.
template <class S>
__device__ void storeSums(const ConeSlab& slab, const TilePlace& tile, int warp, int lane,
                          const float (&sums)[S::rounds][S::perLane]) {
    if (lane % S::up >= S::lanes) return;
    const int k = tile.z + lane % S::up;
#pragma unroll
    for (int round = 0; round < S::rounds; ++round) {
        const int column = firstColumn<S>(warp, lane) + S::atOnce * round;
        const int i = tile.x + column % S::x;
        const int j = tile.y + column / S::x;
        if (i >= slab.nX || j >= slab.nY) continue;
        float* voxels = slab.voxels + (static_cast<std::int64_t>(j) * slab.nX + i) * slab.nZ + k;
        // No load may pass a store, so that all loads come first.
        float before[S::perLane] = {};
#pragma unroll
        for (int part = 0; part < S::perLane; ++part)
            if (k + part * S::lanes < slab.nZ) before[part] = voxels[part * S::lanes];
#pragma unroll
        for (int part = 0; part < S::perLane; ++part)
            if (k + part * S::lanes < slab.nZ)
                voxels[part * S::lanes] = before[part] + sums[round][part];
    }
}

// Prefetches the slab's part of a tile to the L2 cache, by one warp, before storeSums needs it.
template <class S>
__device__ __forceinline__ void prefetchSlab(const ConeSlab& slab, const TilePlace& tile,
                                             int lane) {
    constexpr int kLineVoxels = 32;
    constexpr int kLines = (S::z + kLineVoxels - 1) / kLineVoxels;
#pragma unroll 1
    for (int line = lane; line < S::columns * kLines; line += kWarp) {
        const int column = line / kLines;
        const int i = tile.x + column % S::x;
        const int j = tile.y + column / S::x;
        const int k = tile.z + line % kLines * kLineVoxels;
        if (i < slab.nX && j < slab.nY && k < slab.nZ)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(
                slab.voxels + (static_cast<std::int64_t>(j) * slab.nX + i) * slab.nZ + k));
    }
}

// Columns that each lane of the producer warp prepares.
template <class S>
constexpr int kColumnsPerLane = S::columns / kWarp;

// A lane's columns of a stage whose box begins at shared address `box`: computed before the stage
// is free, stored when it is.
template <class S>
__device__ __forceinline__ void laneColumns(const TileView& view, unsigned box, int lane,
                                            Column (&columns)[kColumnsPerLane<S>]) {
    const unsigned columnBytes = static_cast<unsigned>(view.rows) * pixelBytes(S::order);
    const unsigned middle = box + (static_cast<unsigned>(view.middle) / (S::split ? 2 : 1) -
                                   kMagicBits<S::split>)*pixelBytes(S::order);
#pragma unroll
    for (int i = 0; i < kColumnsPerLane<S>; ++i) {
        const int c = lane + i * kWarp;
        int column = 0;
        columns[i] = columnAt(view, c % S::x, c / S::x, column);
        columns[i].address = middle + static_cast<unsigned>(column) * columnBytes;
    }
}

template <class S>
__device__ __forceinline__ void writeHead(const TileView& view, int lane,
                                          const Column (&columns)[kColumnsPerLane<S>],
                                          StageHead<S>& head) {
#pragma unroll
    for (int i = 0; i < kColumnsPerLane<S>; ++i)
        head.columns[lane + i * kWarp] = columns[i];
    if (lane == 0) head.oddRows = static_cast<unsigned>(view.rows) * pixelBytes(S::order) / 2;
}

__host__ __device__ constexpr unsigned roundUp(unsigned bytes) {
    return (bytes + 127) / 128 * 128;
}

template <class S>
__host__ __device__ constexpr unsigned headBytes() {
    return roundUp(sizeof(StageHead<S>));
}

template <class S>
__host__ __device__ unsigned boxBytes(const TileBox& box) {
    return roundUp(static_cast<unsigned>(box.columns * box.rows) * pixelBytes(S::order));
}

template <class S>
std::size_t sharedBytes(const TileBox& largest, int stages) {
    return roundUp(sizeof(TileMemory)) +
           static_cast<std::size_t>(stages) * (headBytes<S>() + boxBytes<S>(largest));
}

// A stretch of one column of a box, in rows of the column's memory: what lies outside it is 0.
struct Stretch {
    const char* from;  // row 0
    unsigned to;       // shared address of row `begin`
    int begin, end;    // of the box
    int rows;          // that exist: 0 where the column does not
};

// The even (kind 0) or odd rows of a box's column where rows are split, else all of them.
template <class S>
__device__ __forceinline__ Stretch stretchOf(const TileTask& task, const TileView& view, int s,
                                             unsigned box, int column, int kind) {
    constexpr int kKinds = S::split ? 2 : 1;
    const int inView = view.column + column;
    const bool exists = inView >= 0 && inView < task.views.columns;
    const int rows = task.views.rows / kKinds;
    const int begin = view.row / kKinds;
    const std::int64_t place =
        exists ? (static_cast<std::int64_t>(s) * task.views.columns + inView) * kKinds + kind : 0;
    return {static_cast<const char*>(task.views.pixels) + place * rows * pixelBytes(S::order),
            box + static_cast<unsigned>((column * kKinds + kind) * (view.rows / kKinds) *
                                        pixelBytes(S::order)),
            begin, begin + view.rows / kKinds, exists ? rows : 0};
}

// The box of a view 16 bytes at a time by `step` threads, of which this is `first`.
// put(shared address, device address, whether it exists).
template <class S, class Put>
__device__ __forceinline__ void copyRows(const TileTask& task, const TileView& view, int s,
                                         unsigned box, int first, int step, const Put& put) {
    constexpr int kKinds = S::split ? 2 : 1;
    constexpr int kLanes = kWarp / 2;  // a stretch
    constexpr int kBytes = pixelBytes(S::order);
    constexpr int kPixels = 16 / kBytes;
    for (int c = first / kLanes; c < view.columns * kKinds; c += step / kLanes) {
        const Stretch all = stretchOf<S>(task, view, s, box, c / kKinds, c % kKinds);
        for (int row = all.begin + kPixels * (first % kLanes); row < all.end;
             row += kPixels * kLanes) {
            const bool exists = row >= 0 && row < all.rows;
            put(all.to + static_cast<unsigned>(row - all.begin) * kBytes,
                all.from + (exists ? row : 0) * kBytes, exists);
        }
    }
}

}  // namespace gantry::gpu
