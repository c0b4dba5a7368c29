#pragma once

#include <cuda_runtime_api.h>

namespace gantry::gpu {

/// Copies slices [zBegin, zEnd) of a z-fastest slab [y][x][z] of nZ slices to [z][y][x], on the
/// stream.
void transposeSlab(const float* slab, int nX, int nY, int nZ, int zBegin, int zEnd, float* out,
                   cudaStream_t stream);

}  // namespace gantry::gpu
