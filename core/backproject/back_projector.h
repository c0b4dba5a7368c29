#pragma once

#include <span>
#include <stop_token>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Filtered views on the host. views: [s][v][u], u fastest; row 0 is detector row `firstRow`.
/// matrices: one a view, world mm to pixels of the whole detector.
struct FilteredBatch {
    Span3<const float> views;
    Index firstRow = 0;
    std::span<const ProjectionMatrix> matrices;
};

/// Adds filtered views to one slab of the volume at a time (FDK; iFDK algorithms 2 and 4):
/// I(x) += (1/z)²·interp2(Q_s, u, v). interp2 is bilinear over pixel centres and takes pixels
/// outside the batch's rows and columns as 0; voxels at or behind the source (z ≤ 0) get nothing.
///
///     begin(grid, slices) → add(batch) … → read(slices, out) …
///
/// Not thread-safe; one instance per device.
/// Tests: tests/core/backproject/
class BackProjector {
  public:
    virtual ~BackProjector() = default;

    /// Starts slices [slices.begin, slices.end) of `grid` at zero. Memory is kept between slabs.
    /// @throws ResourceError  out of memory
    virtual void begin(const VolumeGrid& grid, IndexRange slices) = 0;

    /// Returns before the device is done with the batch's memory only if it has copied the batch.
    /// @throws Cancelled   `stop` was requested; the slab is then unusable
    /// @throws InternalError  the matrices are not of a kind this back-projector takes
    virtual void add(const FilteredBatch& batch, const std::stop_token& stop) = 0;

    /// Copies finished slices [slices.begin, slices.end) of the volume, within the slab.
    /// out: attenuation, 1/mm; [z][y][x], x fastest
    virtual void read(IndexRange slices, Span3<float> out) = 0;

    /// Memory it takes for a slab of that many slices and batches of nS × nV × nU, bytes.
    [[nodiscard]] virtual Index bytesNeeded(const VolumeGrid& grid, Index slices, Index nS,
                                            Index nV, Index nU) const = 0;
};

}  // namespace gantry
