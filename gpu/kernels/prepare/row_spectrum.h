#pragma once

#include <cuda_runtime_api.h>

namespace gantry::gpu {

/// Multiplies every row's spectrum with a real response, in place.
/// spectra: [row][frequency] of an even length; response: [frequency]
void multiplySpectra(float2* spectra, int rows, int length, const float* response,
                     cudaStream_t stream);

}  // namespace gantry::gpu
