#pragma once

#include <cstdint>

namespace gantry::gpu {

/// Filtered views in device memory, 1/mm·..., as the filter or the upload left them: pixel (s, v,
/// u) lies at s·viewStride + (v/2)·pairStride + (v%2)·oddStride + u·columnStride floats. Plain rows
/// [s][v][u] have pairStride = 2·nU, oddStride = nU, columnStride = 1; rows that were transformed
/// in pairs have oddStride = 1 and columnStride = 2, and all strides even. A slab of two ranges may
/// have its rows in two blocks: see joined().
struct FilteredViews {
    const float* data = nullptr;
    int nS = 0;
    int nV = 0;
    int nU = 0;
    std::int64_t viewStride = 0;
    std::int64_t pairStride = 0;
    std::int64_t oddStride = 0;
    std::int64_t columnStride = 1;

    const float* upper = nullptr;  ///< the upper block, where there are two
    std::int64_t upperViewStride = 0;
    int lowerRows = 0;  ///< of the lower block
    int upperRow = 0;   ///< first row of the upper block; rows between the two are 0
};

/// Views [s][v][u] without gaps.
inline FilteredViews plainViews(const float* data, int nS, int nV, int nU) {
    const std::int64_t row = nU;
    return {data, nS, nV, nU, row * nV, 2 * row, row, 1};
}

/// Joins two blocks of the same views into one: `upper` begins upperRow rows above the first of
/// `lower`. Both must store their rows in the same way.
inline FilteredViews joined(const FilteredViews& lower, const FilteredViews& upper, int upperRow) {
    FilteredViews views = lower;
    views.nV = upperRow + upper.nV;
    views.upper = upper.data;
    views.upperViewStride = upper.viewStride;
    views.lowerRows = lower.nV;
    views.upperRow = upperRow;
    return views;
}

/// One of the two blocks of joined views.
inline FilteredViews blockOf(const FilteredViews& views, bool isUpper) {
    FilteredViews block = views;
    block.upper = nullptr;
    block.nV = isUpper ? views.nV - views.upperRow : views.lowerRows;
    if (isUpper) {
        block.data = views.upper;
        block.viewStride = views.upperViewStride;
    }
    return block;
}

/// `count` of the views, from view `first` on.
inline FilteredViews someViews(const FilteredViews& views, int first, int count) {
    FilteredViews some = views;
    some.nS = count;
    some.data += first * views.viewStride;
    if (some.upper) some.upper += first * views.upperViewStride;
    return some;
}

}  // namespace gantry::gpu
