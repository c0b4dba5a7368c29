#pragma once

#include <cstdint>

#include "gpu/kernels/prepare/prepare_rows.h"

namespace gantry::gpu {

/// Calls work(pixel) with a value of the C++ type that a file's pixels have.
template <class Work>
void withPixelType(StoredType type, Work&& work) {
    switch (type) {
        case StoredType::uint8:
            return work(std::uint8_t{});
        case StoredType::int8:
            return work(std::int8_t{});
        case StoredType::uint16:
            return work(std::uint16_t{});
        case StoredType::int16:
            return work(std::int16_t{});
        case StoredType::uint32:
            return work(std::uint32_t{});
        case StoredType::int32:
            return work(std::int32_t{});
        case StoredType::float32:
            return work(float{});
        case StoredType::float64:
            return work(double{});
    }
}

/// Replaces a row's invalid pixels from their neighbours, in a block of `threads` threads that all
/// call it; each replaces the pixels that it wrote before. good: bits of the pixels that have line
/// integrals of their own, in shared memory; put(u, value) writes a pixel. Returns whether no pixel
/// of the row is good.
template <int threads, class Row, class Put>
__device__ bool repairRow(const Row& row, int columns, std::uint32_t* good, const Put& put) {
    constexpr unsigned kAllLanes = 0xFFFFFFFFU;
    const int words = wordsOf(columns);
    bool isAnyGood = false;
    for (int word = threadIdx.x; word < words; word += threads)
        isAnyGood |= good[word] != 0;
    const bool isOpaque = !__syncthreads_or(isAnyGood);
    if (isOpaque) {
        for (int u = threadIdx.x; u < 32 * words; u += threads) {
            const unsigned alive = __ballot_sync(kAllLanes, u < columns && row.isOpaque(u));
            if (u % 32 == 0) good[u / 32] = alive;
        }
        __syncthreads();
    }
    for (int u = threadIdx.x; u < columns; u += threads)
        if (isOpaque || (good[u / 32] >> (u % 32) & 1U) == 0)
            put(u, filledValue(row, good, words, u, isOpaque));
    return isOpaque;
}

}  // namespace gantry::gpu
