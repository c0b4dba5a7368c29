#pragma once

#include <cstdint>

#include "gpu/kernels/tile/tile.cuh"

namespace gantry::gpu {

// The consumer warps of tiles whose warp lanes go up columns together (Shape).

// A warp lane's column in the first round of its warp; those of the next rounds are S::atOnce
// apart.
template <class S>
__device__ __forceinline__ int firstColumn(int warp, int lane) {
    return warp * S::rounds * S::atOnce + lane / S::up;
}

// The lowest of a warp lane's voxels in its column; the others are S::lanes apart.
template <class S>
__device__ __forceinline__ int laneSlice(int lane) {
    return S::lanes < S::up ? min(lane % S::up, S::lanes - 1) : lane % S::up;
}

// A pixel of the box interpolated along u. odd: from the odd rows
template <class S, bool odd>
__device__ __forceinline__ float blendColumns(unsigned address, float du) {
    constexpr int kColumnBytes = S::boxRows * pixelBytes(S::order);
    constexpr int kFrom = odd ? kColumnBytes / 2 : 0;
    float left, right;
    asm("ld.shared.f32 %0, [%1 + %2];" : "=f"(left) : "r"(address), "n"(kFrom));
    asm("ld.shared.f32 %0, [%1 + %2];" : "=f"(right) : "r"(address), "n"(kFrom + kColumnBytes));
    return fmaf(du, right - left, left);
}

// A voxel's sample. One of the two rows around v is even and one odd, so lanes that step by up to
// two rows read each plane without bank conflicts. The odd row's weight is the distance of v from
// the even one.
template <class S>
__device__ __forceinline__ float sample(float v, const Column& k) {
    constexpr float kOf = kMagic<true>;
    const float odd = __fadd_rd(v, kOf);
    const float even = __fadd_rn(v, kOf);
    const float a = blendColumns<S, false>(pixelAddress<S>(even, k.address), k.du);
    const float b = blendColumns<S, true>(pixelAddress<S>(odd, k.address), k.du);
    return fmaf(fabsf(v - (even - kOf)), b - a, a);
}

// Adds one view to the voxels that this warp's lanes hold.
template <class S>
__device__ __forceinline__ void addView(const StageHead<S>& head, int warp, int lane,
                                        float (&sums)[S::rounds][S::perLane]) {
    const auto lowest = static_cast<float>(laneSlice<S>(lane) - S::z / 2);
    const Column* columns = head.columns + firstColumn<S>(warp, lane);
#pragma unroll
    for (int round = 0; round < S::rounds; ++round) {
        const Column k = columns[S::atOnce * round];
        const float weight = k.step * k.step;  // 1/z², as pixels are scaled
        const float vLowest = fmaf(lowest, k.step, k.v);
#pragma unroll
        for (int j = 0; j < S::perLane; ++j) {
            const float v =
                j == 0 ? vLowest : fmaf(static_cast<float>(j * S::lanes), k.step, vLowest);
            sums[round][j] = fmaf(weight, sample<S>(v, k), sums[round][j]);
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
        // The compiler moves no load before a store, so all loads come first.
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

}  // namespace gantry::gpu
