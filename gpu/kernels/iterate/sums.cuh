#pragma once

#include "gpu/kernels/iterate/sums.h"

namespace gantry::gpu {

inline constexpr int kSumThreads = 256;
inline constexpr int kWarpLanes = 32;

struct Add {
    __device__ static double of(double a, double b) { return a + b; }
};
struct Larger {
    __device__ static double of(double a, double b) { return fmax(a, b); }
};

// Each block makes one piece of every sum: value(i, sums) combines what float i has.
template <int kSums, class Combine, class Value>
__global__ void __launch_bounds__(kSumThreads)
    sumKernel(const Value value, std::int64_t count, double* __restrict__ out) {
    double sums[kSums] = {};
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kSumThreads;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSumThreads + threadIdx.x;
         i < count; i += step)
        value(i, sums);
    __shared__ double ofWarps[kSums][kSumThreads / kWarpLanes];
    const int lane = threadIdx.x % kWarpLanes;
    const int warp = threadIdx.x / kWarpLanes;
    for (int k = 0; k < kSums; ++k) {
        for (int distance = kWarpLanes / 2; distance > 0; distance /= 2)
            sums[k] = Combine::of(sums[k], __shfl_down_sync(~0U, sums[k], distance));
        if (lane == 0) ofWarps[k][warp] = sums[k];
    }
    __syncthreads();
    if (threadIdx.x >= kSums) return;
    double sum = ofWarps[threadIdx.x][0];
    for (int other = 1; other < kSumThreads / kWarpLanes; ++other)
        sum = Combine::of(sum, ofWarps[threadIdx.x][other]);
    out[blockIdx.x * kSums + threadIdx.x] = sum;
}

template <int kSums, class Combine, class Value>
cudaError_t launchSums(const Value& value, std::int64_t count, double* out, cudaStream_t stream) {
    static_assert(kSums <= kMaxSums);
    sumKernel<kSums, Combine><<<kSumBlocks, kSumThreads, 0, stream>>>(value, count, out);
    return cudaGetLastError();
}

}  // namespace gantry::gpu
