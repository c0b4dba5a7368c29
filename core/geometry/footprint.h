#pragma once

#include "core/base/types.h"
#include "core/geometry/views/aligned_views.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Detector rows that back-projecting `slices` of the grid needs anywhere on the arc between the
/// first and the last view, with both neighbours of every interpolated position, clipped to the
/// detector; empty when the slab misses it. The grid must keep off the source, see validate.h.
///
/// At a fixed depth the row is affine in z, and at a fixed z monotonic in the depth, whose extremes
/// lie at the corners of the grid. Parallel rays have no depth. Views on their own detectors are
/// evaluated one by one. Tests: tests/core/geometry/footprint_test.cpp
[[nodiscard]] IndexRange footprintRows(const AlignedViews& geometry, const VolumeGrid& grid,
                                       IndexRange slices);

}  // namespace gantry
