#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/prepare/filtered_views.h"

namespace gantry::gpu {

/// A pixel of a view; 0 outside.
__device__ inline float filteredPixel(const FilteredViews& views, int s, int row, int column) {
    if (row < 0 || row >= views.nV || column < 0 || column >= views.nU) return 0;
    const float* view = views.data + s * views.viewStride;
    if (views.upper && row >= views.lowerRows) {
        if (row < views.upperRow) return 0;
        row -= views.upperRow;
        view = views.upper + s * views.upperViewStride;
    }
    return __ldg(view + row / 2 * views.pairStride + row % 2 * views.oddStride +
                 column * views.columnStride);
}

/// Pixels of rows `row` (which is even) and `row` + 1 of a column, 0 outside. It takes one load
/// where the rows were transformed as a pair and so lie side by side.
__device__ inline float2 filteredRowPair(const FilteredViews& views, int s, int row, int column) {
    const bool isPair = views.columnStride == 2 && !views.upper && row >= 0 && row + 1 < views.nV;
    if (!isPair || column < 0 || column >= views.nU)
        return {filteredPixel(views, s, row, column), filteredPixel(views, s, row + 1, column)};
    const float* pair = views.data + s * views.viewStride + row / 2 * views.pairStride +
                        column * views.columnStride;
    return __ldg(reinterpret_cast<const float2*>(pair));
}

}  // namespace gantry::gpu
