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
    /// What slices next to a part of a volume have, [y][x]; null at its ends: the dual field along
    /// z of the one below, and the values of the one above in what is differentiated.
    const float* dualBelow = nullptr;
    const float* above = nullptr;
};

/// out ← P(v + weight·div p); out may be v.
cudaError_t flattenPrimal(const FlattenColumns& task, const ColumnConstraint& constraint,
                          float* out, cudaStream_t stream);
/// p ← Q[p + ∇u/(weight·L)]
cudaError_t flattenDual(const FlattenColumns& task, const float* u, cudaStream_t stream);
/// Σ|∇v|. One sum
cudaError_t sumVariation(const FlattenColumns& task, PartialSums sums, cudaStream_t stream);

}  // namespace gantry::gpu
