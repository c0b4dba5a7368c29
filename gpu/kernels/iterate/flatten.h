#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/iterate/sums.h"
#include "gpu/kernels/iterate/vectors.h"

namespace gantry::gpu {

/// See IterationSpace::flatten() of core/iterate/iteration_space.h, whose steps these are.
struct FlattenColumns {
    ColumnLayout layout;
    float* volume = nullptr;  ///< v
    float* dual = nullptr;    ///< [axis][y][x][z]
    float scale[3] = {};      ///< of differences along x, y, z
    float weight = 0;
};

/// out ← P(v + weight·div p); out may be v.
cudaError_t flattenPrimal(const FlattenColumns& task, const ColumnConstraint& constraint,
                          float* out, cudaStream_t stream);
/// p ← Q[p + ∇u/(weight·L)]
cudaError_t flattenDual(const FlattenColumns& task, const float* u, cudaStream_t stream);
/// Σ|∇v|. One sum
cudaError_t sumVariation(const FlattenColumns& task, PartialSums sums, cudaStream_t stream);

}  // namespace gantry::gpu
