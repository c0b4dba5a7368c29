#pragma once

#include "gpu/kernels/iterate/vectors.h"

namespace gantry::gpu {

inline constexpr int kVoxelThreads = 256;
inline constexpr int kAlongZ = 64;  // threads of a block along a column
inline constexpr int kColumnsAtOnce = kVoxelThreads / kAlongZ;

template <class Work>
__global__ void __launch_bounds__(kVoxelThreads)
    voxelsKernel(const Work work, const ColumnLayout layout) {
    const std::int64_t column =
        static_cast<std::int64_t>(blockIdx.x) * kColumnsAtOnce + threadIdx.x / kAlongZ;
    const int z = static_cast<int>(blockIdx.y) * kAlongZ + static_cast<int>(threadIdx.x % kAlongZ);
    if (column < layout.columns && z < layout.nZ) work(column, column * layout.pitchZ + z);
}

// work(column, place) for each voxel, but not for what lies behind the last slice.
template <class Work>
cudaError_t forVoxels(const Work& work, const ColumnLayout& layout, cudaStream_t stream) {
    const dim3 blocks(static_cast<unsigned>((layout.columns + kColumnsAtOnce - 1) / kColumnsAtOnce),
                      static_cast<unsigned>((layout.nZ + kAlongZ - 1) / kAlongZ));
    voxelsKernel<<<blocks, kVoxelThreads, 0, stream>>>(work, layout);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
