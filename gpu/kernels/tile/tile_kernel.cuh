#pragma once

#include <cstddef>

#include "gpu/kernels/parts.h"
#include "gpu/kernels/tile/block_order.h"
#include "gpu/kernels/tile/tile_lanes.cuh"
#include "gpu/kernels/tile/tile_poses.cuh"
#include "gpu/kernels/tile/tile_runs.cuh"

namespace gantry::gpu {

// A block's shared memory, and this thread's place in the block.
template <class S>
struct TileBlock {
    int warp = static_cast<int>(threadIdx.x) / kWarp;
    int lane = static_cast<int>(threadIdx.x) % kWarp;
    TileMemory* memory;
    unsigned char* stages;
    unsigned stageBytes;
    unsigned address;  // of the memory, shared
    LanePlace<S> place{warp, lane};

    __device__ TileBlock(unsigned char* shared, const TileTask& task)
        : memory(reinterpret_cast<TileMemory*>(shared)),
          stages(shared + kStages),
          stageBytes(headBytes<S>() + boxBytes<S>(task.boxes[0])) {
        // Keeps it in a register: the compiler would compute it again for every view.
        asm volatile("mov.u32 %0, %1;" : "=r"(address) : "r"(sharedAddress(shared)));
    }

    __device__ StageHead<S>& head(int stage) const {
        return *reinterpret_cast<StageHead<S>*>(stages + static_cast<unsigned>(stage) * stageBytes);
    }
    // Shared addresses of a stage's head, pixels and barriers.
    __device__ unsigned headAddress(int stage) const {
        return address + kStages + static_cast<unsigned>(stage) * stageBytes;
    }
    __device__ unsigned box(int stage) const { return headAddress(stage) + headBytes<S>(); }
    __device__ unsigned full(int stage) const {
        return address + kFull + static_cast<unsigned>(stage) * kBarrier;
    }
    __device__ unsigned empty(int stage) const {
        return address + kEmpty + static_cast<unsigned>(stage) * kBarrier;
    }

  private:
    static constexpr unsigned kStages = roundUp(sizeof(TileMemory));
    static constexpr unsigned kFull = offsetof(TileMemory, full);
    static constexpr unsigned kEmpty = offsetof(TileMemory, empty);
    static constexpr unsigned kBarrier = sizeof(std::uint64_t);
};

template <class S>
__host__ __device__ BlockCounts tileCounts(const ConeSlab& slab) {
    return {partsOf(slab.nX, S::x), partsOf(slab.nY, S::y), partsOf(slab.nZ, S::z)};
}

template <class S>
__device__ TilePlace tilePlace(const ConeSlab& slab, int number) {
    const BlockPlace place = blockAt(tileCounts<S>(slab), number);
    return {place.x * S::x, place.y * S::y, place.z * S::z};
}

// Places a tile in all views, by as many warps as needed.
template <class S, CountFrom from>
__device__ void placeViews(const TileTask& task, const TilePlace& tile, TileView* views) {
    const int atOnce = static_cast<int>(blockDim.x) / kCorners;
    const int firstOfWarp = static_cast<int>(threadIdx.x) / kWarp * kWarp / kCorners;
    for (int first = 0; first + firstOfWarp < task.batch.views; first += atOnce) {
        const int s = first + static_cast<int>(threadIdx.x) / kCorners;
        const TileView view = tileView<S, from>(task, min(s, task.batch.views - 1), tile);
        if (threadIdx.x % kCorners == 0 && s < task.batch.views) views[s] = view;
    }
}

// The producer warp: brings a view's pixels and columns to each stage as it becomes free.
template <class S, BoxCopy copy>
__device__ __forceinline__ void produce(const TileTask& task, const TileMaps& maps,
                                        const TileBlock<S>& block, const TilePlace& tile) {
    int stage = 0;
    int round = 0;
    for (int s = 0; s < task.batch.views; ++s) {
        const unsigned full = block.full(stage);
        const TileView view = block.memory->views[s];
        const unsigned box = block.box(stage);
        // Everything that does not need the stage is computed before the stage is free.
        [[maybe_unused]] Column columns[kColumnsPerLane<S>];
        if constexpr (!S::anyPose) laneColumns<S>(view, box, block.lane, columns);
        if (round > 0) waitFor(block.empty(stage), (round - 1) & 1);
        if constexpr (copy == BoxCopy::bulk) {
            if (block.lane == 0 && hasBox<S>(view))
                copyBox(&maps.map[view.size], box, full, view.row, view.column, s, S::split);
        } else {
            copyRows<S>(
                task, view, s, box, block.lane, kWarp,
                [](unsigned to, const char* from, bool exists) { copy16(to, from, exists); });
        }
        if constexpr (!S::anyPose) writeHead<S>(view, block.lane, columns, block.head(stage));
        if constexpr (copy == BoxCopy::bulk) {
            const auto bytes =
                static_cast<unsigned>(view.columns * view.rows) * pixelBytes(S::order);
            arriveExpecting(full, block.lane == 0 ? bytes : 0);
        } else {
            arriveAfterCopies(full);
            arrive(full);  // arriveAfterCopies() does not publish stores, such as the head's
        }
        if (++stage == task.stages) {
            stage = 0;
            ++round;
        }
        if (s == task.batch.views / 2) prefetchSlab<S>(task.slab, tile, block.lane);
    }
}

// Adds view s of a stage to the sums of a consumer warp.
template <class S>
__device__ __forceinline__ void addStage(const TileBlock<S>& block, int stage, int s,
                                         float (&sums)[S::rounds][S::perLane]) {
    if constexpr (S::anyPose) {
        const TileView& view = block.memory->views[s];
        if (hasBox<S>(view)) addPose<S>(view, block.box(stage), block.place, sums[0]);
    } else if constexpr (S::inRuns)
        addRuns<S>(block.headAddress(stage), block.warp, block.lane, sums[0]);
    else
        addView<S>(block.head(stage), block.warp, block.lane, sums);
}

// Adds the sums of a consumer warp to the slab; all consumer warps must call it.
template <class S>
__device__ __forceinline__ void store(const TileBlock<S>& block, const ConeSlab& slab,
                                      const TilePlace& tile,
                                      const float (&sums)[S::rounds][S::perLane]) {
    if constexpr (S::inRuns) {
        meetConsumers<S>();  // the stages are free now
        storeRuns<S>(slab, tile, block.warp, block.lane, sums[0],
                     reinterpret_cast<float*>(block.stages) + block.warp * kRoom);
    } else {
        storeSums<S>(slab, tile, block.warp, block.lane, sums);
    }
}

// A block adds a batch of views to a tile of voxels, which its consumer warps hold in registers;
// one more warp is the producer.
template <class S, BoxCopy copy>
__global__ void __launch_bounds__((S::warps + 1) * kWarp, S::blocksPerUnit)
    tileKernel(const __grid_constant__ TileTask task, const __grid_constant__ TileMaps maps) {
    extern __shared__ __align__(128) unsigned char shared[];
    const TileBlock<S> block(shared, task);
    TileMemory& memory = *block.memory;
    const TilePlace tile = tilePlace<S>(task.slab, static_cast<int>(blockIdx.x));
    placeViews<S, CountFrom::box>(task, tile, memory.views);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < task.stages; ++stage) {
            initBarrier(block.full(stage), copy == BoxCopy::bulk ? kWarp : 2 * kWarp);
            initBarrier(block.empty(stage), S::warps * kWarp);
        }
        if constexpr (copy == BoxCopy::bulk) fenceForBulkCopies();
    }
    __syncthreads();
    if (block.warp == S::warps) {
        produce<S, copy>(task, maps, block, tile);
        return;
    }
    if constexpr (S::anyPose) addFetched<S>(task, memory.views, tile, block.warp, block.lane);
    float sums[S::rounds][S::perLane] = {};
    int stage = 0;
    int parity = 0;
    for (int s = 0; s < task.batch.views; ++s) {
        waitFor(block.full(stage), parity);
        addStage<S>(block, stage, s, sums);
        arrive(block.empty(stage));
        if (++stage == task.stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    store<S>(block, task.slab, tile, sums);
}

// Does the same by loads and stores of all warps in turn, for devices without asynchronous copies.
template <class S>
__global__ void __launch_bounds__(S::warps* kWarp)
    tileKernelPlain(const __grid_constant__ TileTask task) {
    extern __shared__ __align__(128) unsigned char shared[];
    const TileBlock<S> block(shared, task);
    const TilePlace tile = tilePlace<S>(task.slab, static_cast<int>(blockIdx.x));
    placeViews<S, CountFrom::box>(task, tile, block.memory->views);
    __syncthreads();
    if constexpr (S::anyPose)
        addFetched<S>(task, block.memory->views, tile, block.warp, block.lane);
    float sums[S::rounds][S::perLane] = {};
    for (int s = 0; s < task.batch.views; ++s) {
        __syncthreads();
        const TileView view = block.memory->views[s];
        copyRows<S>(task, view, s, block.box(0), static_cast<int>(threadIdx.x), S::warps * kWarp,
                    [](unsigned to, const char* from, bool exists) {
                        const float4 rows = exists ? __ldg(reinterpret_cast<const float4*>(from))
                                                   : make_float4(0, 0, 0, 0);
                        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to),
                                     "f"(rows.x), "f"(rows.y), "f"(rows.z), "f"(rows.w)
                                     : "memory");
                    });
        if (!S::anyPose && block.warp == 0) {
            Column columns[kColumnsPerLane<S>];
            laneColumns<S>(view, block.box(0), block.lane, columns);
            writeHead<S>(view, block.lane, columns, block.head(0));
        }
        __syncthreads();
        addStage<S>(block, 0, s, sums);
    }
    store<S>(block, task.slab, tile, sums);
}

// A kernel must request more than 48 KiB of shared memory.
template <class Kernel>
cudaError_t allowShared(Kernel* kernel, std::size_t bytes) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
}

// The best way to copy in the code that the current device runs: PTX compiled for it may be that of
// an older one.
template <class S>
BoxCopy boxCopyOfCode() {
    cudaFuncAttributes code{};
    if (cudaFuncGetAttributes(&code, tileKernel<S, BoxCopy::async>) != cudaSuccess) {
        (void)cudaGetLastError();
        return BoxCopy::plain;
    }
    if (code.ptxVersion >= 90 && CUDART_VERSION >= 12000) return BoxCopy::bulk;
    return code.ptxVersion >= 80 ? BoxCopy::async : BoxCopy::plain;
}

template <class S>
cudaError_t launchShape(BoxCopy copy, const TileTask& task, const TileMaps& maps,
                        cudaStream_t stream) {
    const int tiles = tileCounts<S>(task.slab).all();
    const bool hasProducer = copy != BoxCopy::plain;
    const std::size_t bytes = sharedBytes<S>(task.boxes[0], hasProducer ? task.stages : 1);
    auto* const kernel =
        copy == BoxCopy::bulk ? tileKernel<S, BoxCopy::bulk> : tileKernel<S, BoxCopy::async>;
    const cudaError_t allowed =
        hasProducer ? allowShared(kernel, bytes) : allowShared(tileKernelPlain<S>, bytes);
    if (allowed != cudaSuccess) return allowed;
    if (hasProducer)
        kernel<<<tiles, (S::warps + 1) * kWarp, bytes, stream>>>(task, maps);
    else
        tileKernelPlain<S><<<tiles, S::warps * kWarp, bytes, stream>>>(task);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
