#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gantry::gpu {

/// Sums are made in pieces, one a block; the caller adds them in order, so that they do not depend
/// on how blocks run.
inline constexpr int kSumBlocks = 1024;
inline constexpr int kMaxSums = 3;

/// [kSumBlocks][sums] in device memory, each kind of sum having its own number of them.
using PartialSums = double*;

/// Rays [s][u][v], of which those of some rows count where a problem has parts: see OwnRays of
/// core/project/own_rays.h.
struct OwnRows {
    bool isPart = false;  ///< false: all count
    int pitchV = 1;       ///< floats from one column to the next
    int begin = 0;
    int end = 0;

    [[nodiscard]] __device__ bool contains(std::int64_t i) const {
        if (!isPart) return true;
        const int v = static_cast<int>(i % pitchV);
        return v >= begin && v < end;
    }
};

/// Σ a·b
cudaError_t sumProducts(const float* a, const float* b, std::int64_t count, PartialSums sums,
                        cudaStream_t stream);
/// Σ weights·a·b of the own rays
cudaError_t sumRayProducts(const float* a, const float* b, const float* weights, const OwnRows& own,
                           std::int64_t count, PartialSums sums, cudaStream_t stream);

/// Rays with what is known of them. See IterationSpace.
struct RaysOfSum {
    const float* integrals = nullptr;  ///< b
    const float* weights = nullptr;    ///< M
    const float* counts = nullptr;     ///< n, or null
    OwnRows own;                       ///< that are summed
    double modelError = 0;
    std::int64_t count = 0;
};

/// Σ M·r² and Σ r²/(1/n + (modelError·b)²) over rays of weight. isProjection: r holds A x, and
/// becomes b − A x first. Two sums
cudaError_t sumResiduals(const RaysOfSum& rays, float* r, bool isProjection, PartialSums sums,
                         cudaStream_t stream);

/// The largest value of each piece; values are 0 or more. One number
cudaError_t findLargest(const float* values, std::int64_t count, PartialSums largest,
                        cudaStream_t stream);

/// Which rays count: a chord as long as this or longer and, where counts are known, a count above
/// 0.
struct UsedRays {
    const float* chords = nullptr;
    const float* counts = nullptr;  ///< or null
    float minChord = 0;
    std::int64_t count = 0;

    [[nodiscard]] __device__ bool contains(std::int64_t i) const {
        return chords[i] > 0 && chords[i] >= minChord && (!counts || counts[i] > 0);
    }
};

/// Σ n and the number of used rays, of the own ones. Two sums
cudaError_t sumCounts(const UsedRays& rays, const OwnRows& own, PartialSums sums,
                      cudaStream_t stream);

/// What M says of the own line integrals: Σ M·b·chord, Σ M·b², and the number of rays whose M is
/// above 0. Three sums
cudaError_t sumLevels(const RaysOfSum& rays, const float* chords, PartialSums sums,
                      cudaStream_t stream);

}  // namespace gantry::gpu
