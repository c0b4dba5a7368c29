#pragma once

#include <cuda_runtime_api.h>

namespace gantry::gpu {

/// Blocks that run at the same time lie close together, so that they share what they bring to the
/// level 2 cache: their order goes through a group of this many along x and y, then upwards, then
/// to the next group along x, and last to the next row of groups.
inline constexpr int kGroup = 16;

/// Blocks along each axis.
struct BlockCounts {
    int x;
    int y;
    int z;
    [[nodiscard]] __host__ __device__ int all() const { return x * y * z; }
};

/// A block's place in the grid of blocks.
struct BlockPlace {
    int x;
    int y;
    int z;
};

/// The place of block `number` of counts.all(). Tests: tests/gpu/kernels/block_order_test.cpp
__host__ __device__ inline BlockPlace blockAt(const BlockCounts& counts, int number) {
    // Only the last group along an axis may be narrower.
    const int rowOfGroups = number / (kGroup * counts.x * counts.z);
    const int y = rowOfGroups * kGroup;
    const int height = counts.y - y < kGroup ? counts.y - y : kGroup;
    const int inRow = number - y * counts.x * counts.z;
    const int x = inRow / (kGroup * height * counts.z) * kGroup;
    const int width = counts.x - x < kGroup ? counts.x - x : kGroup;
    const int inGroup = inRow - x * height * counts.z;
    const int z = inGroup / (width * height);
    const int inLayer = inGroup - z * width * height;
    return {x + inLayer % width, y + inLayer / width, z};
}

}  // namespace gantry::gpu
