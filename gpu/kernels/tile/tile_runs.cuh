#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "gpu/kernels/tile/tile.cuh"

namespace gantry::gpu {

// The consumer warps of tiles in runs (RunShape).

// The pair of one row of a run, interpolated along u.
template <int Row>
__device__ __forceinline__ float rowOfRun(unsigned address, float du) {
    float2 pair;
    asm("ld.shared.v2.f32 {%0, %1}, [%2 + %3];"
        : "=f"(pair.x), "=f"(pair.y)
        : "r"(address), "n"(Row * static_cast<int>(sizeof(float2))));
    return fmaf(du, pair.y, pair.x);
}

template <int... Row>
__device__ __forceinline__ void readRows(unsigned address, float du, float* b,
                                         std::integer_sequence<int, Row...>) {
    ((b[Row] = rowOfRun<Row>(address, du)), ...);
}

// Adds one view to a warp lane's voxels, whose column rises by kRises[Number].
template <class S, int Number>
__device__ __forceinline__ void addRise(const Column& k, float lowest, float (&sums)[S::perLane]) {
    constexpr Rise kRise = kRises[Number];
    constexpr int kRows = rowsOfRun(kRise);
    const float weight = k.step * k.step;  // 1/z², as pixels are scaled
    const float beyondOne = k.step - 1;
#pragma unroll
    for (int begin = 0; begin < S::perLane; begin += kRise.voxels) {
        const float v = fmaf(lowest + static_cast<float>(begin), k.step, k.v);
        const float row = __fadd_rd(v, kMagic<false>);
        const float above = v - (row - kMagic<false>);
        float b[kRows];
        readRows(pixelAddress<S>(row, k.address), k.du, b,
                 std::make_integer_sequence<int, kRows>());
        sums[begin] = fmaf(weight, fmaf(above, b[1] - b[0], b[0]), sums[begin]);
#pragma unroll
        for (int j = 1; j < kRise.voxels; ++j) {
            // The voxel lies up to two rows above row r. Three rows are blended: the second counts
            // as far as the voxel lies beyond the first (at most 1), the third as far as it lies
            // beyond the second.
            const int r = rowOf(kRise, j);
            const auto up = static_cast<float>(j);
            const float first = __saturatef(fmaf(up, beyondOne, above + static_cast<float>(j - r)));
            const float second =
                __saturatef(fmaf(up, beyondOne, above + static_cast<float>(j - r - 1)));
            const float value =
                fmaf(second, b[r + 2] - b[r + 1], fmaf(first, b[r + 1] - b[r], b[r]));
            sums[begin + j] = fmaf(weight, value, sums[begin + j]);
        }
    }
}

// A voxel's sample anywhere in the box.
template <class S>
__device__ __forceinline__ float sampleOf(float v, const Column& k) {
    const float row = __fadd_rd(v, kMagic<false>);
    const unsigned address = pixelAddress<S>(row, k.address);
    const float a = rowOfRun<0>(address, k.du);
    return fmaf(v - (row - kMagic<false>), rowOfRun<1>(address, k.du) - a, a);
}

// Adds one voxel after the other, at any step.
template <class S>
__device__ __forceinline__ void addVoxels(const Column& k, float lowest,
                                          float (&sums)[S::perLane]) {
    const float weight = k.step * k.step;
#pragma unroll
    for (int j = 0; j < S::perLane; ++j) {
        const float v = fmaf(lowest + static_cast<float>(j), k.step, k.v);
        sums[j] = fmaf(weight, sampleOf<S>(v, k), sums[j]);
    }
}

// Adds by the rise of that number, or one voxel after the other if there is none.
template <class S, int... Number>
__device__ __forceinline__ void addAny(int rise, const Column& k, float lowest,
                                       float (&sums)[S::perLane],
                                       std::integer_sequence<int, Number...>) {
    const bool found = ((rise == Number && (addRise<S, Number>(k, lowest, sums), true)) || ...);
    if (!found) addVoxels<S>(k, lowest, sums);
}

// Adds one view, whose stage begins at shared address `head`, to the voxels of a lane's column.
template <class S>
__device__ __forceinline__ void addRuns(unsigned head, int warp, int lane,
                                        float (&sums)[S::perLane]) {
    const int column = warp % S::patches * kWarp + lane;
    Column k;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(k.v), "=f"(k.step), "=f"(k.du), "=r"(k.address)
                 : "r"(head + static_cast<unsigned>(column * sizeof(Column))));
    int rise;
    asm volatile("ld.shared.b32 %0, [%1];"
                 : "=r"(rise)
                 : "r"(head + static_cast<unsigned>(offsetof(StageHead<S>, rise))));
    const auto lowest = static_cast<float>(warp / S::patches * S::perLane - S::z / 2);
    addAny<S>(rise, k, lowest, sums, RiseNumbers());
}

// Adds the sums of a warp in runs to the slab, as far as its voxels exist. The sums are transposed
// through `room`, so that lanes add neighbouring voxels.
template <class S>
__device__ void storeRuns(const ConeSlab& slab, const TilePlace& tile, int warp, int lane,
                          const float (&sums)[S::perLane], float* room) {
#pragma unroll
    for (int part = 0; part < S::perLane; ++part)
        room[lane * kRoomPitch + part] = sums[part];
    __syncwarp();
    const ColumnPlace first = columnPlace<S>(warp % S::patches * kWarp);
    const int i = tile.x + first.x;
    const int j = tile.y + first.y;
    const int k = tile.z + warp / S::patches * S::perLane + lane;
    if (k >= slab.nZ) return;
    float* row = slab.voxels + (static_cast<std::int64_t>(j) * slab.nX + i) * slab.nZ + k;
#pragma unroll
    for (int y = 0; y < kPatchY && j + y < slab.nY; ++y) {
        // The compiler moves no load before a store, so all loads come first.
        float before[kPatchX] = {};
#pragma unroll
        for (int x = 0; x < kPatchX; ++x)
            if (i + x < slab.nX) before[x] = row[x * slab.nZ];
#pragma unroll
        for (int x = 0; x < kPatchX; ++x)
            if (i + x < slab.nX)
                row[x * slab.nZ] = before[x] + room[laneOfPatch(x, y) * kRoomPitch + lane];
        row += static_cast<std::int64_t>(slab.nX) * slab.nZ;
    }
}

// Waits for the consumer warps.
template <class S>
__device__ __forceinline__ void meetConsumers() {
    asm volatile("bar.sync 1, %0;" ::"n"(S::warps * kWarp) : "memory");
}

}  // namespace gantry::gpu
