#pragma once

#include "gpu/kernels/tile/tile.h"

namespace gantry::gpu {

// Barriers in shared memory (PTX mbarrier) and the copies that complete on them. They do not exist
// below sm_80, where none of this is called. A barrier is identified by its shared address.

__device__ __forceinline__ unsigned sharedAddress(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void initBarrier(unsigned barrier, int arrivals) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}

// Makes the barriers that this thread initialised visible to bulk copies.
__device__ __forceinline__ void fenceForBulkCopies() {
#if __CUDA_ARCH__ >= 900 && CUDA_VERSION >= 12000
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

__device__ __forceinline__ void arrive(unsigned barrier) {
#if __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier)
                 : "memory");
#endif
}

// Arrives, and makes the barrier expect that many bytes more.
__device__ __forceinline__ void arriveExpecting(unsigned barrier, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(barrier),
        "r"(bytes)
        : "memory");
#endif
}

// Arrives when the asynchronous copies that this thread began so far have ended.
__device__ __forceinline__ void arriveAfterCopies(unsigned barrier) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#endif
}

__device__ __forceinline__ void waitFor(unsigned barrier, int parity) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra again;\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
#elif __CUDA_ARCH__ >= 800
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra again;\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
#endif
}

// Copies a box of paired views to shared memory; what lies outside the views is 0. Completion
// arrives on the barrier.
__device__ __forceinline__ void copyBox(const BoxMap* map, unsigned to, unsigned barrier, int row,
                                        int column, int view, bool split) {
#if __CUDA_ARCH__ >= 900 && CUDA_VERSION >= 12000
    if (split)
        asm volatile(
            "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to),
            "l"(map), "r"(row / 2), "r"(0), "r"(column), "r"(view), "r"(barrier)
            : "memory");
    else
        asm volatile(
            "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
            "l"(map), "r"(row), "r"(column), "r"(view), "r"(barrier)
            : "memory");
#endif
}

// Starts copying 16 bytes, or zeroes them.
__device__ __forceinline__ void copy16(unsigned to, const void* from, bool exists) {
#if __CUDA_ARCH__ >= 800
    const int bytes = exists ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
#endif
}

}  // namespace gantry::gpu
