#pragma once

#include <stop_token>

#include "ui/models/image/slice_images.h"

namespace gantry {

/// The same place in two volumes, pixel upon pixel.
struct ImagePair {
    GreyImage first;
    GreyImage second;
};

/// Voxels of one index are the same place in both, and both have the same.
[[nodiscard]] bool areOnOneGrid(const VolumeGrid& a, const VolumeGrid& b);

/// Slice `index` of the first volume, and what the second shows there: its own voxels where both
/// are on one grid, else interpolated at the first's (trilinear), with no pixels outside.
/// @throws Cancelled  `stop` was requested
/// Tests: tests/ui/models/compared_images_test.cpp
[[nodiscard]] ImagePair comparedSlices(const VoxelData& first, const VoxelData& second,
                                       SliceAxis axis, Index index,
                                       const std::stop_token& stop = {});

/// From the first image (share 0) to the second (1). No pixels where either has none, but for the
/// ends, which are the images themselves.
[[nodiscard]] GreyImage blended(const ImagePair& pair, double share);

/// The first image minus the second, in colours.
[[nodiscard]] GreyImage differenceOf(const ImagePair& pair);
/// The narrowest about zero that shows nearly all of a difference without clipping it.
[[nodiscard]] GreyWindow differenceWindow(const GreyImage& difference);

}  // namespace gantry
