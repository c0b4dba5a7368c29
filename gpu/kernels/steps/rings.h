#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gantry::gpu {

/// Some detector rows of all views, on the device: pixel (s, row, u) lies at
/// s·viewStride + row·columns + u.
struct Sinograms {
    float* data = nullptr;
    int views = 0;
    int rows = 0;
    int columns = 0;
    std::int64_t viewStride = 0;
};

/// The most views of which columns can be sorted.
inline constexpr int kMaxSortedViews = 8192;

/// Ring removal by sorting with RingRemover's results (core/prep/rings.h).
/// width: of the median, odd; sorted, order: scratch of [row][rank][u] each
void removeRingsBySorting(const Sinograms& sinograms, int width, std::uint32_t* sorted,
                          std::uint16_t* order, cudaStream_t stream);

/// Ring removal by the smoothed mean with RingRemover's results. mean: scratch of [row][u]
void removeSmoothedMean(const Sinograms& sinograms, int width, double* mean, cudaStream_t stream);

}  // namespace gantry::gpu
