#pragma once

#include <utility>

#include "gpu/kernels/project/stages.cuh"
#include "gpu/kernels/tile/run_rise.h"

// The sums of a warp lane's column of rays, in runs of a few rows that share the voxels between
// them: see run_rise.h, whose rows are voxels here and whose voxels are rays.
namespace gantry::gpu {

constexpr int kPerLane = 32;  // rows of a column that a warp lane sums

// One column of rays in one plane. Rows of voxels are relative to the box's middle.
struct __align__(16) RayColumn {
    float z;           // of the tile's middle row
    float step;        // of a row upwards, voxels
    float share;       // of the second column of voxels
    unsigned address;  // of the middle of the first column, minus the magic number's own bits
};

// The voxel of one row of a run, interpolated between two columns.
template <int Row>
__device__ __forceinline__ float rowOfRun(unsigned address, unsigned next, float share) {
    const float a = sharedRow<Row>(address);
    return fmaf(share, sharedRow<Row>(next) - a, a);
}
template <int... Row>
__device__ __forceinline__ void readRows(unsigned address, unsigned next, float share, float* b,
                                         std::integer_sequence<int, Row...>) {
    ((b[Row] = rowOfRun<Row>(address, next, share)), ...);
}

template <int Number>
__device__ __forceinline__ void addRise(const RayColumn& k, unsigned pitch, float lowest,
                                        float (&sums)[kPerLane]) {
    constexpr Rise kRise = kRises[Number];
    constexpr int kRows = rowsOfRun(kRise);
    const float beyondOne = k.step - 1;
#pragma unroll
    for (int begin = 0; begin < kPerLane; begin += kRise.voxels) {
        const float v = fmaf(lowest + static_cast<float>(begin), k.step, k.z);
        const float row = __fadd_rd(v, kWholeMagic);
        const float above = v - (row - kWholeMagic);
        float b[kRows];
        const unsigned address = __float_as_uint(row) * 4 + k.address;
        readRows(address, address + pitch, k.share, b, std::make_integer_sequence<int, kRows>());
        sums[begin] += fmaf(above, b[1] - b[0], b[0]);
#pragma unroll
        for (int j = 1; j < kRise.voxels; ++j) {
            const int r = rowOf(kRise, j);
            const auto up = static_cast<float>(j);
            const float first = __saturatef(fmaf(up, beyondOne, above + static_cast<float>(j - r)));
            const float second =
                __saturatef(fmaf(up, beyondOne, above + static_cast<float>(j - r - 1)));
            sums[begin + j] +=
                fmaf(second, b[r + 2] - b[r + 1], fmaf(first, b[r + 1] - b[r], b[r]));
        }
    }
}

// One row after the other, at any step.
__device__ __forceinline__ void addRows(const RayColumn& k, unsigned pitch, float lowest,
                                        float (&sums)[kPerLane]) {
#pragma unroll
    for (int j = 0; j < kPerLane; ++j) {
        const float v = fmaf(lowest + static_cast<float>(j), k.step, k.z);
        const float row = __fadd_rd(v, kWholeMagic);
        const unsigned address = __float_as_uint(row) * 4 + k.address;
        const float a = rowOfRun<0>(address, address + pitch, k.share);
        const float b = rowOfRun<1>(address, address + pitch, k.share);
        sums[j] += fmaf(v - (row - kWholeMagic), b - a, a);
    }
}

template <int... Number>
__device__ __forceinline__ void addAny(int rise, const RayColumn& k, unsigned pitch, float lowest,
                                       float (&sums)[kPerLane],
                                       std::integer_sequence<int, Number...>) {
    const bool found = ((rise == Number && (addRise<Number>(k, pitch, lowest, sums), true)) || ...);
    if (!found) addRows(k, pitch, lowest, sums);
}

}  // namespace gantry::gpu
