#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/kernels/tile/local_view.h"
#include "gpu/kernels/tile/tile_barrier.cuh"
#include "gpu/kernels/tile/tile_view.cuh"

namespace gantry::gpu {

constexpr int kMaxStages = 4;
// Adding it leaves a row's integer in the mantissa, or half of an even row's where rows are split.
template <bool split>
constexpr float kMagic = split ? 25165824.0F : 12582912.0F;  // 1.5 · 2^24 or 1.5 · 2^23
template <bool split>
constexpr unsigned kMagicBits = split ? 0x4BC00000U : 0x4B400000U;

// One column of a tile in one view. Rows are relative to the footprint's middle, because small
// numbers have fine fractions.
struct __align__(16) Column {
    float v;           // at the tile's middle height
    float step;        // a voxel upwards
    float du;          // fraction between columns
    unsigned address;  // of its middle row, minus what the magic number's own bits add
};

// 1/z to the last bit but one, without the slow path of a division.
__device__ __forceinline__ float refinedReciprocal(float z) {
    const float estimate = nearReciprocal(z);
    return fmaf(estimate, fmaf(-z, estimate, 1.0F), estimate);
}

// Column (i, j) of the tile; `column` gets its column in the box. The caller sets the address.
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

// What a block keeps in shared memory: this, then the stages, each a head and a box of pairs.
struct TileMemory {
    TileView views[kMaxViews];
    std::uint64_t full[kMaxStages];   // completes when a stage's pixels and constants have arrived
    std::uint64_t empty[kMaxStages];  // completes when they have been used
};

template <class S>
struct StageHead {
    Column columns[S::columns];
    int rise;  // of TileView, where in runs
};

// The place in the tile of a column number.
struct ColumnPlace {
    int x;
    int y;
};

// The warp lane at a column of its warp's patch: half a warp has 4 × 4 columns.
constexpr int kHalfPatchX = kPatchX / 2;
__host__ __device__ constexpr int laneOfPatch(int x, int y) {
    return x / kHalfPatchX * (kWarp / 2) + y * kHalfPatchX + x % kHalfPatchX;
}

// The columns of a warp are numbered in the order of its lanes.
template <class S>
__device__ __forceinline__ ColumnPlace columnPlace(int column) {
    if constexpr (S::inRuns) {
        constexpr int kAcross = S::x / kPatchX;
        const int patch = column / kWarp;
        const int lane = column % kWarp;
        return {patch % kAcross * kPatchX + lane / (kWarp / 2) * kHalfPatchX + lane % kHalfPatchX,
                patch / kAcross * kPatchY + lane % (kWarp / 2) / kHalfPatchX};
    } else {
        return {column % S::x, column / S::x};
    }
}

// Prefetches the slab's part of a tile to the L2 cache before storeSums needs it; one warp does so.
template <class S>
__device__ __forceinline__ void prefetchSlab(const ConeSlab& slab, const TilePlace& tile,
                                             int lane) {
    constexpr int kLineVoxels = 32;
    constexpr int kLines = (S::z + kLineVoxels - 1) / kLineVoxels;
#pragma unroll 1
    for (int line = lane; line < S::columns * kLines; line += kWarp) {
        const ColumnPlace place = columnPlace<S>(line / kLines);
        const int i = tile.x + place.x;
        const int j = tile.y + place.y;
        const int k = tile.z + line % kLines * kLineVoxels;
        if (i < slab.nX && j < slab.nY && k < slab.nZ)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(
                slab.voxels + (static_cast<std::int64_t>(j) * slab.nX + i) * slab.nZ + k));
    }
}

// Columns that each warp lane of the producer prepares.
template <class S>
constexpr int kColumnsPerLane = S::columns / kWarp;

// A warp lane's columns of a stage whose box begins at shared address `box`: they are computed
// before the stage is free, and stored when it is.
template <class S>
__device__ __forceinline__ void laneColumns(const TileView& view, unsigned box, int lane,
                                            Column (&columns)[kColumnsPerLane<S>]) {
    const unsigned columnBytes = static_cast<unsigned>(view.rows) * pixelBytes(S::order);
    const unsigned middle = box + (static_cast<unsigned>(view.middle) / (S::split ? 2 : 1) -
                                   kMagicBits<S::split>)*pixelBytes(S::order);
#pragma unroll
    for (int i = 0; i < kColumnsPerLane<S>; ++i) {
        const ColumnPlace place = columnPlace<S>(lane + i * kWarp);
        int column = 0;
        columns[i] = columnAt(view, place.x, place.y, column);
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
    if (S::inRuns && lane == 0) head.rise = view.rise;
}

__host__ __device__ constexpr unsigned roundUp(unsigned bytes) {
    return (bytes + 127) / 128 * 128;
}

template <class S>
__host__ __device__ constexpr unsigned headBytes() {
    return S::anyPose ? 0 : roundUp(sizeof(StageHead<S>));
}

template <class S>
__host__ __device__ unsigned boxBytes(const TileBox& box) {
    return roundUp(static_cast<unsigned>(box.columns * box.rows) * pixelBytes(S::order));
}

// A warp in runs stores its sums through this many floats of shared memory, in place of the stages
// when these are no longer needed; the odd pitch avoids bank conflicts.
constexpr int kRoomPitch = kWarp + 1;
constexpr int kRoom = kWarp * kRoomPitch;

template <class S>
std::size_t sharedBytes(const TileBox& largest, int stages) {
    const std::size_t used =
        static_cast<std::size_t>(stages) * (headBytes<S>() + boxBytes<S>(largest));
    const std::size_t rooms = S::inRuns ? S::warps * kRoom * sizeof(float) : 0;
    return roundUp(sizeof(TileMemory)) + std::max(used, rooms);
}

// Part of one column of a box, in rows of the column's memory; what lies outside the view is 0.
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

// Copies a view's box 16 bytes at a time by `step` threads, of which this is number `first`. Calls
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
