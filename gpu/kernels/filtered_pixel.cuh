#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/filtered_views.h"

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

}  // namespace gantry::gpu
