#pragma once

#include <cstdint>

namespace gantry::gpu {

/// Filtered views in device memory, 1/mm·..., as filter or upload left them: pixel (s, v, u) lies
/// at s·viewStride + (v/2)·pairStride + (v%2)·oddStride + u·columnStride floats. Plain rows
/// [s][v][u] have pairStride = 2·nU, oddStride = nU, columnStride = 1; rows that were transformed
/// in pairs have oddStride = 1 and columnStride = 2.
struct FilteredViews {
    const float* data = nullptr;
    int nS = 0;
    int nV = 0;
    int nU = 0;
    std::int64_t viewStride = 0;
    std::int64_t pairStride = 0;
    std::int64_t oddStride = 0;
    std::int64_t columnStride = 1;
};

/// Views [s][v][u] without gaps.
inline FilteredViews plainViews(const float* data, int nS, int nV, int nU) {
    const std::int64_t row = nU;
    return {data, nS, nV, nU, row * nV, 2 * row, row, 1};
}

}  // namespace gantry::gpu
