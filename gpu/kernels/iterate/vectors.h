#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>

#include "gpu/kernels/iterate/sums.h"

namespace gantry::gpu {

/// A volume [y][x][z] in device memory, as RaySlab: columns along z, of which the floats behind the
/// last slice are 0 and stay so.
struct ColumnLayout {
    std::int64_t columns = 0;  ///< nX·nY
    int nX = 0;
    int nZ = 0;
    int pitchZ = 0;  ///< floats from one column to the next

    [[nodiscard]] __host__ __device__ std::int64_t count() const { return columns * pitchZ; }
};

/// What voxels may be: see VoxelConstraint of core/project/voxel_constraint.h.
struct ColumnConstraint {
    float min = 0;
    float max = 0;
    /// 1 where voxels are free: one of each column, or one of each float of the volume; null: all
    const unsigned char* mask = nullptr;
    bool isMaskOfColumns = false;

    [[nodiscard]] __device__ bool isFree(std::int64_t column, std::int64_t place) const {
        return !mask || mask[isMaskOfColumns ? column : place] != 0;
    }
    [[nodiscard]] __device__ float applied(float value, std::int64_t column,
                                           std::int64_t place) const {
        return isFree(column, place) ? fminf(fmaxf(value, min), max) : 0.0F;
    }
};

/// y ← α·x + β·y; where β is 0 whatever y held.
cudaError_t combine(float alpha, const float* x, float beta, float* y, std::int64_t count,
                    cudaStream_t stream);

/// x ← P x
cudaError_t constrain(const ColumnLayout& layout, const ColumnConstraint& constraint, float* x,
                      cudaStream_t stream);
/// x ← P[x + ω·C·gradient]
cudaError_t addStep(const ColumnLayout& layout, const ColumnConstraint& constraint, float omega,
                    const float* columnWeights, const float* gradient, float* x,
                    cudaStream_t stream);
/// x ← 0 outside the mask; isFilled: and 1 within
cudaError_t maskOut(const ColumnLayout& layout, const ColumnConstraint& constraint, bool isFilled,
                    float* x, cudaStream_t stream);
/// mask ← 1 where x is not 0, else 0
cudaError_t makeMask(const float* x, std::int64_t count, unsigned char* mask, cudaStream_t stream);

/// largest ← max(largest, values)
cudaError_t keepLarger(const float* values, float* largest, std::int64_t count,
                       cudaStream_t stream);
/// C ← 1/C where it is above `min` and the mask leaves the voxel free, else 0
cudaError_t invertColumns(const ColumnLayout& layout, const ColumnConstraint& constraint, float min,
                          float* columnWeights, cudaStream_t stream);

/// How used rays weigh: see RowWeights of core/iterate/iteration_space.h.
enum class RayWeightKind { one, chord, counts };
/// weights ← M. meanCount: of the used rays, for counts
cudaError_t makeRayWeights(const UsedRays& rays, RayWeightKind kind, double meanCount,
                           float* weights, cudaStream_t stream);

/// invalid[view] ← own rays of each of `views` views whose b is not finite, or whose count is not
/// finite or negative. counts: or null; invalid: zeros
cudaError_t countInvalidRays(const float* integrals, const float* counts, const OwnRows& own,
                             int views, std::int64_t viewFloats, unsigned* invalid,
                             cudaStream_t stream);

}  // namespace gantry::gpu
