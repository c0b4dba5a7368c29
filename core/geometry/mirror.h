#pragma once

#include <optional>

#include "core/base/types.h"
#include "core/geometry/aligned_views.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// The sum k + k' of slices that are each other's mirror image about the source's plane, where the
/// rows that they are seen on mirror each other too, row by row: iFDK theorem 1 holds for such a
/// pair in all views. None where slices or rows fall between each other, or no slice of the volume
/// has its mirror image there; nor where views are on their own detectors.
/// Tests: tests/core/geometry/mirror_test.cpp
[[nodiscard]] std::optional<Index> mirroredSlices(const AlignedViews& geometry,
                                                  const VolumeGrid& grid);

/// The slices of the volume whose mirror image it has too. sum: mirroredSlices()
[[nodiscard]] IndexRange mirroredRange(const VolumeGrid& grid, Index sum);

/// Whether these slices are their own mirror image, as a whole.
[[nodiscard]] bool isOwnMirror(const IndexRanges& slices, Index sum);

}  // namespace gantry
