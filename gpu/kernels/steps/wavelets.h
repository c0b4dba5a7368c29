#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/steps/rings.h"

namespace gantry::gpu {

inline constexpr int kWaveletTaps = 10;

/// Daubechies' low-pass filter as StripeWavelets of core/prep has it; the high-pass one follows.
struct WaveletTaps {
    float low[kWaveletTaps];
    [[nodiscard]] __host__ __device__ float high(int j) const {
        return (j % 2 == 0 ? 1.0F : -1.0F) * low[kWaveletTaps - 1 - j];
    }
};

/// One scale of the transform of some sinograms. All memory is on the device.
struct WaveletScale {
    Sinograms smooth;   ///< low in both directions
    Sinograms stripes;  ///< low along the views and high along u
};

/// Transforms `from` to the next scale. lines: scratch of [s][row][u], with the views of the scale
/// and the columns of `from`
void analyse(const WaveletTaps& taps, const Sinograms& from, const WaveletScale& to, float* lines,
             cudaStream_t stream);

/// Keeps of a band what changes slowly along the views: cycles 0 to count − 1 of the scan, each
/// times its gain.
/// circle: [m] cos and sin of 2π·m/views; gains: [k], of a sum over the views; sums: scratch of
/// [k][row][u]
void keepSlow(const Sinograms& band, int count, const float2* circle, const float* gains,
              float2* sums, cudaStream_t stream);

/// Transforms a scale back; `to` is replaced, or the result subtracted from it. lines: as for
/// analyse(); isCoarsest: the scale has no smooth part
void synthesise(const WaveletTaps& taps, const WaveletScale& from, bool isCoarsest,
                const Sinograms& to, bool isSubtracted, float* lines, cudaStream_t stream);

}  // namespace gantry::gpu
