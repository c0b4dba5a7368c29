#pragma once

#include <cuda_runtime_api.h>

namespace gantry::gpu {

/// Blocks that run at the same time lie close together, so that the level 2 cache serves what one
/// brings to the others: they go through a group of this many along x and y, then upwards, then to
/// the next group.
inline constexpr int kGroup = 8;

/// Where a block works, in blocks.
struct BlockPlace {
    int x;
    int y;
    int z;
};

/// For x × y × z blocks. Groups at the edges reach beyond x and y.
inline dim3 groupedGrid(int x, int y, int z) {
    const auto groups = [](int n) { return static_cast<unsigned>((n + kGroup - 1) / kGroup); };
    return {static_cast<unsigned>(z) * kGroup * kGroup, groups(x), groups(y)};
}

/// This block's place in such a grid.
__device__ inline BlockPlace groupedBlock() {
    const auto index = static_cast<int>(blockIdx.x);
    return {static_cast<int>(blockIdx.y) * kGroup + index % kGroup,
            static_cast<int>(blockIdx.z) * kGroup + index / kGroup % kGroup,
            index / (kGroup * kGroup)};
}

}  // namespace gantry::gpu
