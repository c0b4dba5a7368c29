#include "gpu/kernels/general_kernels.h"

#include <cstdint>

#include "gpu/kernels/fetch_views.cuh"
#include "gpu/kernels/interpolate.h"
#include "gpu/kernels/parts.h"
#include "gpu/kernels/tile/local_view.h"

namespace gantry::gpu {

namespace {

constexpr int kLanes = 32;
constexpr int kX = 4;
constexpr int kY = 4;

static_assert(kMaxViews <= kLanes, "a lane has one view");

// Reads the column view that warp lane s holds.
__device__ ColumnView handed(const ColumnView& view, int s) {
    constexpr unsigned kAll = 0xFFFFFFFFU;
    return {__shfl_sync(kAll, view.reciprocal, s), __shfl_sync(kAll, view.step, s),
            __shfl_sync(kAll, view.row, s),        __shfl_sync(kAll, view.rowShare, s),
            __shfl_sync(kAll, view.column, s),     __shfl_sync(kAll, view.columnShare, s)};
}

template <class Views, bool mirror>
__global__ void __launch_bounds__(kLanes* kX* kY)
    shflKernel(const ConeBatch batch, const ConeSlab slab, const Views views, const int nU,
               const int mirrorSum) {
    __shared__ LocalView locals[kMaxViews];
    const int lane = static_cast<int>(threadIdx.x);
    const int di = static_cast<int>(threadIdx.y);
    const int dj = static_cast<int>(threadIdx.z);
    const int k0 = static_cast<int>(blockIdx.x) * kLanes;
    const int i0 = static_cast<int>(blockIdx.y) * kX;
    const int j0 = static_cast<int>(blockIdx.z) * kY;
    // Relative to the block's middle, from which no voxel is far.
    if (di == 0 && dj == 0 && lane < batch.views)
        locals[lane] = localView(batch.m[lane], i0 + kX / 2, j0 + kY / 2, k0 + kLanes / 2);
    __syncthreads();
    if (i0 + di >= slab.nX || j0 + dj >= slab.nY) return;  // the whole warp

    ColumnView mine{};
    if (lane < batch.views)
        mine = columnView(locals[lane], static_cast<float>(di - kX / 2),
                          static_cast<float>(dj - kY / 2), nU);
    const auto up = static_cast<float>(lane - kLanes / 2);
    float sum = 0;
    float mirrored = 0;
    auto read = views.first();
    for (int s = 0; s < batch.views; ++s, read.step()) {
        const ColumnView view = handed(mine, s);
        if (view.reciprocal == 0) continue;  // for the whole warp
        const float weight = view.reciprocal * view.reciprocal;
        const Split at = split(fmaf(up, view.step, view.rowShare));
        const float row = at.whole + view.row;
        const auto here = read.pixels(row, view.column);
        sum = fmaf(weight, interpolate(here, at.share, view.columnShare), sum);
        if constexpr (mirror) {
            const auto back = read.mirrored(mirrorSum, row, view.column);
            mirrored = fmaf(weight, interpolate(back, at.share, view.columnShare), mirrored);
        }
    }
    const int k = k0 + lane;
    if (k >= (mirror ? (slab.nZ + 1) / 2 : slab.nZ)) return;
    float* voxels =
        slab.voxels + (static_cast<std::int64_t>(j0 + dj) * slab.nX + i0 + di) * slab.nZ;
    voxels[k] += sum;
    // The middle voxel is its own mirror image.
    if (mirror && slab.nZ - 1 - k != k) voxels[slab.nZ - 1 - k] += mirrored;
}

template <class Views>
void launch(const ConeBatch& batch, const ConeSlab& slab, std::optional<int> mirrorSum,
            const Views& views, int nU, cudaStream_t stream) {
    const int nZ = mirrorSum ? (slab.nZ + 1) / 2 : slab.nZ;
    const dim3 blocks(partsOf(nZ, kLanes), partsOf(slab.nX, kX), partsOf(slab.nY, kY));
    const dim3 threads(kLanes, kX, kY);
    if (mirrorSum)
        shflKernel<Views, true><<<blocks, threads, 0, stream>>>(batch, slab, views, nU, *mirrorSum);
    else
        shflKernel<Views, false><<<blocks, threads, 0, stream>>>(batch, slab, views, nU, 0);
}

}  // namespace

void addShflTexture(const ConeBatch& batch, const ConeSlab& slab, std::optional<int> mirrorSum,
                    cudaTextureObject_t views, int nU, bool transposed, cudaStream_t stream) {
    if (transposed)
        launch(batch, slab, mirrorSum, TextureViews<true>{views}, nU, stream);
    else
        launch(batch, slab, mirrorSum, TextureViews<false>{views}, nU, stream);
}

void addShflMemory(const ConeBatch& batch, const ConeSlab& slab, std::optional<int> mirrorSum,
                   const BorderedViews& views, bool transposed, cudaStream_t stream) {
    if (transposed)
        launch(batch, slab, mirrorSum, MemoryViews<true>{views}, views.nU, stream);
    else
        launch(batch, slab, mirrorSum, MemoryViews<false>{views}, views.nU, stream);
}

}  // namespace gantry::gpu
