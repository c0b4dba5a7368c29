#pragma once

#include "gpu/kernels/block_order.cuh"
#include "gpu/kernels/tile.cuh"

namespace gantry::gpu {

// Where one block works, and its shared memory.
template <class S>
struct TileBlock {
    int x, y, z;  // the tile's first voxel
    int warp = static_cast<int>(threadIdx.x) / kWarp;
    int lane = static_cast<int>(threadIdx.x) % kWarp;
    TileMemory* memory;
    unsigned char* stages;
    unsigned stageBytes;

    __device__ TileBlock(unsigned char* shared, const TileTask& task)
        : TileBlock(groupedBlock(), shared, task) {}

    __device__ TileBlock(const BlockPlace& place, unsigned char* shared, const TileTask& task)
        : x(place.x * S::x),
          y(place.y * S::y),
          z(place.z * S::z),
          memory(reinterpret_cast<TileMemory*>(shared)),
          stages(shared + roundUp(sizeof(TileMemory))),
          stageBytes(headBytes<S>() + boxBytes(task.boxes[0])) {}

    __device__ StageHead<S>& head(int stage) const {
        return *reinterpret_cast<StageHead<S>*>(stages + static_cast<unsigned>(stage) * stageBytes);
    }
    __device__ unsigned box(int stage) const {
        return sharedAddress(stages + static_cast<unsigned>(stage) * stageBytes + headBytes<S>());
    }
    // Groups at the slab's edges reach beyond it.
    __device__ bool isEmpty(const ConeSlab& slab) const { return x >= slab.nX || y >= slab.nY; }
    // The tile in every view, one a lane of the first warp.
    template <CountFrom from>
    __device__ void placeViews(const TileTask& task) const {
        if (warp == 0 && lane < task.batch.views)
            memory->views[lane] = tileView<S, from>(task, lane, x, y, z);
    }
};

// The warp that feeds: a view's pixels and columns into each stage as it becomes free.
template <class S, Feeder F>
__device__ __forceinline__ void feed(const TileTask& task, const TileMaps& maps,
                                     const TileBlock<S>& block) {
    int stage = 0;
    int round = 0;
    for (int s = 0; s < task.batch.views; ++s) {
        std::uint64_t* full = &block.memory->full[stage];
        const TileView& view = block.memory->views[s];
        const unsigned box = block.box(stage);
        // All that can be worked out before the stage is free is.
        Column columns[kFedColumns<S>];
        fedColumns<S>(view, box, block.lane, columns);
        if (round > 0) waitFor(&block.memory->empty[stage], (round - 1) & 1);
        if constexpr (F == Feeder::bulk) {
            if (block.lane == 0)
                copyBox(&maps.map[view.size], box, full, view.row, view.column, s, S::split);
        } else {
            copyRows<S>(
                task, view, s, box, block.lane, kWarp,
                [](unsigned to, const float2* pair, bool exists) { copy16(to, pair, exists); });
        }
        writeHead<S>(view, block.lane, columns, block.head(stage));
        if constexpr (F == Feeder::bulk) {
            const auto bytes = static_cast<unsigned>(view.columns * view.rows) * kPairBytes;
            arriveExpecting(full, block.lane == 0 ? bytes : 0);
        } else {
            arriveAfterCopies(full);
            arrive(full);  // the other one releases no stores, such as the head's
        }
        if (++stage == task.stages) {
            stage = 0;
            ++round;
        }
    }
}

// A block adds a batch of views to a tile of voxels, which its warps hold in registers; one more
// warp feeds them.
template <class S, Feeder F>
__global__ void __launch_bounds__((S::warps + 1) * kWarp, S::blocksPerUnit)
    tileKernel(const __grid_constant__ TileTask task, const __grid_constant__ TileMaps maps) {
    extern __shared__ __align__(128) unsigned char shared[];
    const TileBlock<S> block(shared, task);
    if (block.isEmpty(task.slab)) return;
    TileMemory& memory = *block.memory;
    block.template placeViews<CountFrom::box>(task);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < task.stages; ++stage) {
            initBarrier(&memory.full[stage], F == Feeder::bulk ? kWarp : 2 * kWarp);
            initBarrier(&memory.empty[stage], S::warps);
        }
        if constexpr (F == Feeder::bulk) showCopyEngine();
    }
    __syncthreads();
    if (block.warp == S::warps) {
        feed<S, F>(task, maps, block);
        return;
    }
    float sums[S::pairsPerWarp][S::perLane] = {};
    int stage = 0;
    int parity = 0;
    for (int s = 0; s < task.batch.views; ++s) {
        waitFor(&memory.full[stage], parity);
        addView<S>(block.head(stage), block.warp, block.lane, sums);
        __syncwarp();
        if (block.lane == 0) arrive(&memory.empty[stage]);
        if (++stage == task.stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    storeSums<S>(task.slab, block.x, block.y, block.z, block.warp, block.lane, sums);
}

// The same by loads and stores of all warps in turn, for devices without asynchronous copies.
template <class S>
__global__ void __launch_bounds__(S::warps* kWarp)
    tileKernelPlain(const __grid_constant__ TileTask task) {
    extern __shared__ __align__(128) unsigned char shared[];
    const TileBlock<S> block(shared, task);
    if (block.isEmpty(task.slab)) return;
    block.template placeViews<CountFrom::box>(task);
    float sums[S::pairsPerWarp][S::perLane] = {};
    for (int s = 0; s < task.batch.views; ++s) {
        __syncthreads();
        const TileView view = block.memory->views[s];
        copyRows<S>(task, view, s, block.box(0), static_cast<int>(threadIdx.x), S::warps * kWarp,
                    [](unsigned to, const float2* from, bool exists) {
                        const float4 rows = exists ? __ldg(reinterpret_cast<const float4*>(from))
                                                   : make_float4(0, 0, 0, 0);
                        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to),
                                     "f"(rows.x), "f"(rows.y), "f"(rows.z), "f"(rows.w)
                                     : "memory");
                    });
        if (block.warp == 0) {
            Column columns[kFedColumns<S>];
            fedColumns<S>(view, block.box(0), block.lane, columns);
            writeHead<S>(view, block.lane, columns, block.head(0));
        }
        __syncthreads();
        addView<S>(block.head(0), block.warp, block.lane, sums);
    }
    storeSums<S>(task.slab, block.x, block.y, block.z, block.warp, block.lane, sums);
}

template <class S>
dim3 tileGrid(const ConeSlab& slab) {
    const auto parts = [](int n, int size) { return (n + size - 1) / size; };
    return groupedGrid(parts(slab.nX, S::x), parts(slab.nY, S::y), parts(slab.nZ, S::z));
}

// So much shared memory has to be asked for.
template <class Kernel>
cudaError_t allowShared(Kernel* kernel, std::size_t bytes) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
}

// The best feeder that the code has which the current device runs: PTX that is compiled for it may
// be that of an older one.
template <class S>
Feeder feederOfCode() {
    cudaFuncAttributes code{};
    if (cudaFuncGetAttributes(&code, tileKernel<S, Feeder::async>) != cudaSuccess) {
        (void)cudaGetLastError();
        return Feeder::plain;
    }
    if (code.ptxVersion >= 90 && CUDART_VERSION >= 12000) return Feeder::bulk;
    return code.ptxVersion >= 80 ? Feeder::async : Feeder::plain;
}

template <class S>
cudaError_t launchShape(Feeder feeder, const TileTask& task, const TileMaps& maps,
                        cudaStream_t stream) {
    const dim3 grid = tileGrid<S>(task.slab);
    const bool isFed = feeder != Feeder::plain;
    const std::size_t bytes = sharedBytes<S>(task.boxes[0], isFed ? task.stages : 1);
    auto* const fed =
        feeder == Feeder::bulk ? tileKernel<S, Feeder::bulk> : tileKernel<S, Feeder::async>;
    const cudaError_t allowed =
        isFed ? allowShared(fed, bytes) : allowShared(tileKernelPlain<S>, bytes);
    if (allowed != cudaSuccess) return allowed;
    if (isFed)
        fed<<<grid, (S::warps + 1) * kWarp, bytes, stream>>>(task, maps);
    else
        tileKernelPlain<S><<<grid, S::warps * kWarp, bytes, stream>>>(task);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
