#include "gpu/kernels/general_kernels.h"

#include <cstdint>

#include "gpu/kernels/fetch_views.cuh"
#include "gpu/kernels/interpolate.h"
#include "gpu/kernels/parts.h"
#include "gpu/kernels/tile/local_view.h"

namespace gantry::gpu {

namespace {

constexpr int kX = 32;
constexpr int kY = 4;
constexpr int kZ = 2;
constexpr float kFarPixels = 1 << 21;  // from the block's own pixel; nothing is seen there

__device__ float dot(const float4& row, float i, float j, float k) {
    return fmaf(row.x, i, fmaf(row.y, j, fmaf(row.z, k, row.w)));
}

__global__ void __launch_bounds__(kX* kY* kZ)
    standardKernel(const ConeBatch batch, const ConeSlab slab, const TextureViews<false> views) {
    __shared__ LocalView locals[kMaxViews];
    const int i0 = static_cast<int>(blockIdx.x) * kX;
    const int j0 = static_cast<int>(blockIdx.y) * kY;
    const int k0 = static_cast<int>(blockIdx.z) * kZ;
    const int di = static_cast<int>(threadIdx.x);
    const int dj = static_cast<int>(threadIdx.y);
    const int dk = static_cast<int>(threadIdx.z);
    const int thread = (dk * kY + dj) * kX + di;
    // Relative to the block's middle, from which no voxel is far.
    if (thread < batch.views)
        locals[thread] = localView(batch.m[thread], i0 + kX / 2, j0 + kY / 2, k0 + kZ / 2);
    __syncthreads();
    if (i0 + di >= slab.nX || j0 + dj >= slab.nY || k0 + dk >= slab.nZ) return;

    const auto i = static_cast<float>(di - kX / 2);
    const auto j = static_cast<float>(dj - kY / 2);
    const auto k = static_cast<float>(dk - kZ / 2);
    float sum = 0;
    auto read = views.first();
    for (int s = 0; s < batch.views; ++s, read.step()) {
        const LocalView& local = locals[s];
        const float z = dot(local.z, i, j, k);
        if (!(z > kMinDepthMm)) continue;
        const float reciprocal = nearReciprocal(z);
        const float u = dot(local.u, i, j, k) * reciprocal;
        const float v = dot(local.v, i, j, k) * reciprocal;
        if (!(fabsf(u) < kFarPixels && fabsf(v) < kFarPixels)) continue;
        const Split column = split(u);
        const Split row = split(v);
        const auto here = read.pixels(row.whole + local.row, column.whole + local.column);
        const float q = interpolate(here, row.share, column.share);
        sum = fmaf(reciprocal * reciprocal, q, sum);
    }
    slab.voxels[(static_cast<std::int64_t>(k0 + dk) * slab.nY + j0 + dj) * slab.nX + i0 + di] +=
        sum;
}

}  // namespace

void addStandard(const ConeBatch& batch, const ConeSlab& slab, cudaTextureObject_t views,
                 cudaStream_t stream) {
    const dim3 blocks(partsOf(slab.nX, kX), partsOf(slab.nY, kY), partsOf(slab.nZ, kZ));
    standardKernel<<<blocks, dim3(kX, kY, kZ), 0, stream>>>(batch, slab,
                                                            TextureViews<false>{views});
}

}  // namespace gantry::gpu
