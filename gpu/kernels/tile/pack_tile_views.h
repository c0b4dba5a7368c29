#pragma once

#include <cuda_runtime_api.h>

#include "gpu/kernels/cone_batch.h"
#include "gpu/kernels/prepare/filtered_views.h"
#include "gpu/kernels/tile/tile.h"

namespace gantry::gpu {

/// Repacks a batch's views for the tile kernel into the layout of `to`, which has room for views.nS
/// views.
cudaError_t packTileViews(const FilteredViews& views, const ConeBatch& batch, const TileViews& to,
                          cudaStream_t stream);

}  // namespace gantry::gpu
