#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/filtered_views.h"
#include "gpu/kernels/tile.h"

namespace gantry::gpu {

/// Repacks views as pairs; `to` has the layout, with room for views.nS views.
cudaError_t pairViews(const FilteredViews& views, const PairedViews& to, cudaStream_t stream);

}  // namespace gantry::gpu
