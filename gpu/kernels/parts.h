#pragma once

#include <cuda_runtime_api.h>

namespace gantry::gpu {

/// Parts of `size` that n takes; the last one may not be full.
__host__ __device__ constexpr int partsOf(int n, int size) {
    return n / size + (n % size > 0 ? 1 : 0);
}

}  // namespace gantry::gpu
