#pragma once

#include <QRectF>

#include "core/geometry/volume_grid.h"
#include "core/metrics/region.h"
#include "ui/models/image/slice_images.h"

namespace gantry {

/// The region of interest while it is dragged.
using RegionBox = WorldBox;

/// The box that a grid's voxels fill, to their outer faces.
/// Tests: tests/ui/models/region_box_test.cpp
[[nodiscard]] RegionBox boxOf(const VolumeGrid& grid);

/// The box in a slice of another volume, in the form of ImageView's regions: from outer edge to
/// outer edge in (column, row), where pixel (0, 0) fills (−0.5, −0.5) to (0.5, 0.5).
[[nodiscard]] QRectF rectangleOf(const RegionBox& box, const SlicePlane& plane,
                                 const VolumeGrid& shown);
/// The box after a rectangle was dragged in such a slice. Corners may come in any order.
[[nodiscard]] RegionBox boxWith(const RegionBox& box, const QRectF& rectangle,
                                const SlicePlane& plane, const VolumeGrid& shown);

/// The grid that fills the box as closely as whole voxels of `grid`'s pitch can: a face that was
/// not moved stays exactly in place, and a box that was only shifted moves by whole voxels. At
/// least one voxel, at most kMaxVoxels along an axis.
[[nodiscard]] VolumeGrid reshaped(const VolumeGrid& grid, const RegionBox& box);

}  // namespace gantry
