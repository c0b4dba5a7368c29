#pragma once

#include <cuda_runtime_api.h>

#include <cmath>

namespace gantry::gpu {

/// Interpolates between four pixels (iFDK algorithm 3).
/// pixel(row, column): the pixel of the nearer (0) or farther (1) row and column; 0 outside the
/// view rowShare, columnShare: the position between them, in [0, 1) Tests:
/// tests/gpu/kernels/cone_math_test.cpp
template <class Pixels>
__host__ __device__ inline float interpolate(const Pixels& pixel, float rowShare,
                                             float columnShare) {
    const float near0 = pixel(0, 0);
    const float near1 = pixel(0, 1);
    const float far0 = pixel(1, 0);
    const float far1 = pixel(1, 1);
    const float near = fmaf(columnShare, near1 - near0, near0);
    const float far = fmaf(columnShare, far1 - far0, far0);
    return fmaf(rowShare, far - near, near);
}

}  // namespace gantry::gpu
