#include "gpu/kernels/prepare/row_spectrum.h"

#include <algorithm>
#include <cstdint>

#include "gpu/kernels/parts.h"

namespace gantry::gpu {

namespace {

constexpr int kThreads = 256;
constexpr int kRowsABlock = 8;  // rows share the response that a thread holds

// Each thread takes two frequencies.
__global__ void __launch_bounds__(kThreads)
    multiplyKernel(float4* spectra, int rows, int halfLength, const float2* response) {
    const int k = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (k >= halfLength) return;
    const float2 gain = response[k];
    for (int row = static_cast<int>(blockIdx.y); row < rows; row += static_cast<int>(gridDim.y)) {
        float4& pair = spectra[static_cast<std::int64_t>(row) * halfLength + k];
        const float4 value = pair;
        pair = {value.x * gain.x, value.y * gain.x, value.z * gain.y, value.w * gain.y};
    }
}

}  // namespace

void multiplySpectra(float2* spectra, int rows, int length, const float* response,
                     cudaStream_t stream) {
    constexpr int kMaxBlocksDown = 65535;
    const int halfLength = length / 2;
    const dim3 blocks(partsOf(halfLength, kThreads),
                      std::min(partsOf(rows, kRowsABlock), kMaxBlocksDown));
    multiplyKernel<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<float4*>(spectra), rows,
                                                    halfLength,
                                                    reinterpret_cast<const float2*>(response));
}

}  // namespace gantry::gpu
