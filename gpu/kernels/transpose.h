#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gantry::gpu {

/// A matrix in device memory, of several that lie behind one another.
struct MatrixLayout {
    std::int64_t pitch = 0;   ///< floats from one row to the next
    std::int64_t stride = 0;  ///< floats from one matrix to the next
};

/// Sets to[j][i] of each of `count` matrices to from[i][j], or adds it. On the stream; the caller
/// checks whether the launch succeeded. rows, columns: of `from`. Tests:
/// tests/gpu/engine/device_slab_test.cpp
void transpose(const float* from, const MatrixLayout& fromLayout, std::int64_t rows,
               std::int64_t columns, float* to, const MatrixLayout& toLayout, int count, bool adds,
               cudaStream_t stream);

}  // namespace gantry::gpu
