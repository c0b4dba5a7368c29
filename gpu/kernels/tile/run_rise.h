#pragma once

#include <cuda_runtime_api.h>

#include <utility>

namespace gantry::gpu {

/// The rise of a column of voxels on the detector: so many rows over so many voxels.
struct Slope {
    int rows;
    int voxels;
};
__host__ __device__ constexpr float rowsPerVoxel(const Slope& slope) {
    return static_cast<float>(slope.rows) / static_cast<float>(slope.voxels);
}

/// How the voxels of a run lie on the detector, for all slopes from `from` to `to`: each lies
/// within two rows above a row known at compile time, so three rows interpolate it. See rowOf().
struct Rise {
    int voxels;  ///< of a run
    Slope from;
    Slope to;
};

/// The row, counted from the one below the run's lowest voxel, that voxel j lies at most two rows
/// above: rowOf(j) ≤ j·slope and j·slope + 1 ≤ rowOf(j) + 2.
__host__ __device__ constexpr int rowOf(const Rise& rise, int j) {
    return j > 0 ? (j * rise.to.rows - 1) / rise.to.voxels : 0;
}

/// Rows that a run reads: at most one more than its voxels need.
__host__ __device__ constexpr int rowsOfRun(const Rise& rise) {
    return rowOf(rise, rise.voxels - 1) + 3;
}
inline constexpr int kRowsBeyondRun = 1;

/// Long runs around one row a voxel, where most voxels of most scans lie, then short ones. Ranges
/// end at neighbouring fractions whose denominators are smaller than the run.
inline constexpr Rise kRises[] = {
    {8, {3, 4}, {4, 5}}, {8, {4, 5}, {5, 6}}, {8, {5, 6}, {6, 7}}, {8, {6, 7}, {1, 1}},
    {8, {1, 1}, {8, 7}}, {8, {8, 7}, {7, 6}}, {8, {7, 6}, {6, 5}}, {8, {6, 5}, {5, 4}},
    {8, {5, 4}, {9, 7}}, {8, {9, 7}, {4, 3}}, {4, {0, 1}, {1, 3}}, {4, {1, 3}, {1, 2}},
    {4, {1, 2}, {2, 3}}, {4, {2, 3}, {1, 1}}, {4, {1, 1}, {4, 3}}, {4, {4, 3}, {3, 2}},
    {4, {3, 2}, {5, 3}}, {4, {5, 3}, {2, 1}},
};
inline constexpr int kRiseCount = sizeof(kRises) / sizeof(kRises[0]);
using RiseNumbers = std::make_integer_sequence<int, kRiseCount>;

/// The number of the first rise that serves all slopes in [least, most], rows a voxel; kRiseCount
/// if none does. Tests: tests/gpu/kernels/run_rise_test.cpp
template <int... Number>
__host__ __device__ inline int riseOf(float min, float max, std::integer_sequence<int, Number...>) {
    constexpr float kSlack = 1e-5F;  // shifts a sample by less than single precision rounds
    int found = kRiseCount;
    (void)((min >= rowsPerVoxel(kRises[Number].from) - kSlack &&
                    max <= rowsPerVoxel(kRises[Number].to) + kSlack
                ? (found = Number, true)
                : false) ||
           ...);
    return found;
}

}  // namespace gantry::gpu
