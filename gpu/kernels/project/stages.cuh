#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/tile/tile.h"
#include "gpu/kernels/tile/tile_barrier.cuh"

// What the projector's tiled kernels share: a block has consumer warps and one producer warp, which
// brings a box of floats and what precedes it to each stage in shared memory.
namespace gantry::gpu {

constexpr int kWarpLanes = 32;
constexpr int kConsumers = 8;  // warps
constexpr int kMaxRayStages = 4;
constexpr double kBoxSlack = 0.01;  // elements; covers the rounding of single precision
constexpr double kFarPlace = 1e6;
constexpr float kWholeMagic = 12582912.0F;  // 1.5 · 2^23: adding it leaves a whole number's bits
constexpr unsigned kWholeMagicBits = 0x4B400000U;
constexpr unsigned kFloatBytes = 4;

// In place of the number of a box size.
constexpr int kNothing = -1;  // nothing of the tile meets what a stage stands for
constexpr int kNoBox = -2;    // the footprint fits no box

__host__ __device__ constexpr unsigned roundUpTo128(unsigned bytes) {
    return (bytes + 127) / 128 * 128;
}

__host__ __device__ constexpr unsigned bytesOfBox(const TileBox& box) {
    return roundUpTo128(static_cast<unsigned>(box.columns * box.rows) * kFloatBytes);
}

struct StageBarriers {
    std::uint64_t full[kMaxRayStages];   // completes when a stage's box and head have arrived
    std::uint64_t empty[kMaxRayStages];  // completes when they have been used
};

// The stages of a block, each a head and a box, behind `before` bytes that begin with the barriers.
class Stages {
  public:
    __device__ Stages(unsigned char* shared, unsigned before, unsigned head, unsigned box)
        : m_first(shared + before), m_head(head), m_stage(head + box), m_before(before) {
        // Keeps it in a register: the compiler would compute it again for every stage.
        asm volatile("mov.u32 %0, %1;" : "=r"(m_address) : "r"(sharedAddress(shared)));
    }

    __device__ unsigned char* all() const { return m_first; }
    __device__ unsigned char* head(int stage) const {
        return m_first + static_cast<unsigned>(stage) * m_stage;
    }
    // Shared addresses.
    __device__ unsigned headAddress(int stage) const {
        return m_address + m_before + static_cast<unsigned>(stage) * m_stage;
    }
    __device__ unsigned box(int stage) const { return headAddress(stage) + m_head; }
    __device__ unsigned full(int stage) const {
        return m_address + static_cast<unsigned>(offsetof(StageBarriers, full)) +
               static_cast<unsigned>(stage) * 8;
    }
    __device__ unsigned empty(int stage) const {
        return m_address + static_cast<unsigned>(offsetof(StageBarriers, empty)) +
               static_cast<unsigned>(stage) * 8;
    }

    // One thread does it before the block meets.
    __device__ void init(int stages) const {
        for (int stage = 0; stage < stages; ++stage) {
            initBarrier(full(stage), kWarpLanes);
            initBarrier(empty(stage), kConsumers * kWarpLanes);
        }
        fenceForBulkCopies();
    }

  private:
    unsigned char* m_first;
    unsigned m_head;
    unsigned m_stage;
    unsigned m_before;
    unsigned m_address;
};

// A place in a ring of stages, as the producer or a consumer goes round.
struct StageTurn {
    int stage = 0;
    int round = 0;

    __device__ __forceinline__ void next(int stages) {
        if (++stage == stages) {
            stage = 0;
            ++round;
        }
    }
    __device__ __forceinline__ void waitUntilEmpty(const Stages& all) const {
        if (round > 0) waitFor(all.empty(stage), (round - 1) & 1);
    }
    __device__ __forceinline__ void waitUntilFull(const Stages& all) const {
        waitFor(all.full(stage), round & 1);
    }
};

// The minimum over groups of so many warp lanes.
template <int Lanes, class Number>
__device__ __forceinline__ Number minOfLanes(Number value) {
#pragma unroll
    for (int other = 1; other < Lanes; other *= 2)
        value = min(value, __shfl_xor_sync(0xFFFFFFFFU, value, other));
    return value;
}

// The whole number below a place; a far one for places that no box reaches.
__device__ __forceinline__ int wholeBelow(double place) {
    return fabs(place) < kFarPlace ? __double2int_rd(place)
                                   : static_cast<int>(place > 0 ? kFarPlace : -kFarPlace);
}

// Boxes begin at multiples of 16 bytes.
__device__ __forceinline__ int boxRowBelow(double place) {
    return wholeBelow(place / 4) * 4;
}

template <int Row>
__device__ __forceinline__ float sharedRow(unsigned address) {
    float value;
    asm("ld.shared.f32 %0, [%1 + %2];" : "=f"(value) : "r"(address), "n"(Row * 4));
    return value;
}

// Two rows of which the first is even.
template <int Row>
__device__ __forceinline__ float2 sharedPair(unsigned address) {
    float2 value;
    asm("ld.shared.v2.f32 {%0, %1}, [%2 + %3];"
        : "=f"(value.x), "=f"(value.y)
        : "r"(address), "n"(Row * 4));
    return value;
}

// Copies a box of pairs of rows whose first row is a multiple of 4; see copyBox().
__device__ __forceinline__ void copyRowPairs(const BoxMap* map, unsigned to, unsigned barrier,
                                             int row, int second, int third) {
    copyBox(map, to, barrier, row / 2, second, third, false);
}

// Allows a kernel all shared memory that a block may have on the current device, whatever one
// launch takes: several threads may launch it at once with different sizes.
template <class Kernel>
cudaError_t allowShared(Kernel* kernel) {
    int device = 0;
    int bytes = 0;
    cudaError_t found = cudaGetDevice(&device);
    if (found == cudaSuccess)
        found = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (found != cudaSuccess) return found;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

}  // namespace gantry::gpu
