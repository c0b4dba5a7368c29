#pragma once

#include <optional>

#include "core/base/types.h"
#include "core/geometry/views/aligned_views.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// The sum k + k' of slices that are each other's mirror image about the source's plane, if their
/// detector rows mirror each other too, row by row: iFDK theorem 1 then holds for such a pair in
/// all views. None if slices or rows fall between each other, if no slice has its mirror image in
/// the volume, or if views are on their own detectors. Tests: tests/core/geometry/mirror_test.cpp
[[nodiscard]] std::optional<Index> mirroredSlices(const AlignedViews& geometry,
                                                  const VolumeGrid& grid);

/// The slices of the volume whose mirror image is in it too. sum: mirroredSlices()
[[nodiscard]] IndexRange mirroredRange(const VolumeGrid& grid, Index sum);

/// Whether these slices together are their own mirror image.
[[nodiscard]] bool isOwnMirror(const IndexRanges& slices, Index sum);

}  // namespace gantry
