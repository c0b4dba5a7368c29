#include "gpu/kernels/tile/tile_kernel.cuh"

namespace gantry::gpu {

namespace {

constexpr float kMaxPerDepth = 1e9F;  // 1/mm

// A pair of the column; 0 outside the view.
__device__ __forceinline__ float2 pairAt(const float2* column, int row, int rows) {
    return static_cast<unsigned>(row) < static_cast<unsigned>(rows) ? __ldg(column + row)
                                                                    : make_float2(0, 0);
}

// Interpolates two rows' pairs; dv is the weight of the second.
__device__ __forceinline__ float interpolate(float2 first, float2 second, float du, float dv) {
    const float a = fmaf(du, first.y, first.x);
    const float b = fmaf(du, second.y, second.x);
    return fmaf(dv, b - a, a);
}

// Adds a batch like tileKernel, but every warp lane fetches its own pairs: where a voxel's step is
// so large that neighbours share no pixels, a box would bring in more than is used.
template <class S>
__global__ void __launch_bounds__(S::warps* kWarp, S::blocksPerUnit)
    tileDirectKernel(const __grid_constant__ TileTask task) {
    __shared__ TileMemory memory;
    const TileBlock<S> block(reinterpret_cast<unsigned char*>(&memory), task);
    const TilePlace tile = tilePlace<S>(task.slab, static_cast<int>(blockIdx.x));
    placeViews<S, CountFrom::middle>(task, tile, memory.views);
    __syncthreads();
    float sums[S::rounds][S::perLane] = {};
    const auto lowest = static_cast<float>(laneSlice<S>(block.lane) - S::z / 2);
    const int first = firstColumn<S>(block.warp, block.lane);
    const int rows = task.views.rows;
    for (int s = 0; s < task.batch.views; ++s) {
        const TileView& view = memory.views[s];
        const float2* pairs = static_cast<const float2*>(task.views.pixels) +
                              static_cast<std::int64_t>(s) * task.views.columns * rows;
        const int middle = view.row + view.middle;
#pragma unroll
        for (int round = 0; round < S::rounds; ++round) {
            int column = 0;
            const int c = first + S::atOnce * round;
            Column k = columnAt(view, c % S::x, c / S::x, column);
            column += view.column;
            const float perDepthOrLess = k.step * view.depthPerRow;
            // Behind the source the value is negative, and at the source it may be anything.
            const bool exists = column >= 0 && column < task.views.columns && perDepthOrLess > 0 &&
                                perDepthOrLess < kMaxPerDepth;
            // Columns outside the view add 0.
            if (!exists) k = {0, 0, 0, 0};
            const float weight = k.step * k.step;  // 1/z², as pixels are scaled
            const float2* own = pairs + static_cast<std::int64_t>(exists ? column : 0) * rows;
#pragma unroll
            for (int j = 0; j < S::perLane; ++j) {
                const float v = fmaf(lowest + static_cast<float>(j * S::lanes), k.step, k.v);
                const float floorV = floorf(v);
                const int r = middle + static_cast<int>(floorV);
                sums[round][j] = fmaf(
                    weight,
                    interpolate(pairAt(own, r, rows), pairAt(own, r + 1, rows), k.du, v - floorV),
                    sums[round][j]);
            }
        }
    }
    storeSums<S>(task.slab, tile, block.warp, block.lane, sums);
}

template <class S>
cudaError_t launch(const TileTask& task, cudaStream_t stream) {
    tileDirectKernel<S><<<tileCounts<S>(task.slab).all(), S::warps * kWarp, 0, stream>>>(task);
    return cudaGetLastError();
}

}  // namespace

cudaError_t launchTileDirect(const TileTask& task, bool wide, cudaStream_t stream) {
    return wide ? launch<Shape<16, 16, 32, 16, 2, TileOrder::pairs>>(task, stream)
                : launch<Shape<8, 8, 32, 8, 4, TileOrder::pairs>>(task, stream);
}

}  // namespace gantry::gpu
