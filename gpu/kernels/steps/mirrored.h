#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

namespace gantry::gpu {

/// The same as mirroredIndex() of core/prep.
__host__ __device__ inline int mirroredIndex(int i, int n) {
    const int period = 2 * n;
    i %= period;
    if (i < 0) i += period;
    return i < n ? i : period - 1 - i;
}

/// The sample of n that a periodic image of `length` samples holds at i: the samples, continued by
/// their mirror image to the middle, and all of that once more as its own mirror image, as
/// PhaseRetriever of core/prep has it.
__host__ __device__ inline int paddedIndex(int i, int n, int length) {
    return mirroredIndex(mirroredIndex(i, length / 2), n);
}

/// Integers in the order of finite floats.
__host__ __device__ inline std::uint32_t orderedBits(float value) {
    std::uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}

__host__ __device__ inline float fromOrderedBits(std::uint32_t ordered) {
    const std::uint32_t bits = ordered & 0x80000000U ? ordered & 0x7fffffffU : ~ordered;
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// The median of an odd number of values: at(i) gives the ordered bits of the i-th of them. Found
/// bit by bit below those that all of them share, so that no memory is needed.
/// Tests: tests/gpu/kernels/median_test.cpp
template <class At>
__host__ __device__ inline std::uint32_t medianOf(int count, const At& at) {
    std::uint32_t any = 0;
    std::uint32_t all = 0xFFFFFFFFU;
    for (int i = 0; i < count; ++i) {
        any |= at(i);
        all &= at(i);
    }
    const std::uint32_t differing = any & ~all;
    if (differing == 0) return all;
    std::uint32_t bit = 1U << 31;
    while (bit > differing)
        bit >>= 1U;
    std::uint32_t median = all & ~(2 * bit - 1);
    for (; bit != 0; bit >>= 1U) {
        const std::uint32_t candidate = median | bit;
        int below = 0;
        for (int i = 0; i < count; ++i)
            below += at(i) < candidate ? 1 : 0;
        if (below <= count / 2) median = candidate;
    }
    return median;
}

}  // namespace gantry::gpu
