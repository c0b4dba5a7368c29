#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/filtered_views.h"
#include "gpu/kernels/tile.h"

namespace gantry::gpu {

/// Repacks views for the tile kernel; `to` has the layout, with room for views.nS views, which are
/// those of the batch.
cudaError_t packTileViews(const FilteredViews& views, const ConeBatch& batch, const TileViews& to,
                          cudaStream_t stream);

}  // namespace gantry::gpu
