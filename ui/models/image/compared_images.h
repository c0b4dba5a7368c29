#pragma once

#include <stop_token>

#include "ui/models/image/slice_images.h"

namespace gantry {

/// The same region in two volumes, pixel on pixel.
struct ImagePair {
    GreyImage first;
    GreyImage second;
};

/// Whether voxels of one index have the same position in both, and both have the same number.
[[nodiscard]] bool areOnOneGrid(const VolumeGrid& a, const VolumeGrid& b);

/// Slice `index` of the first volume, and the second volume there: its own voxels if both are on
/// one grid, otherwise interpolated at the first's (trilinear), with no pixels outside.
/// @throws Cancelled  `stop` was requested
/// Tests: tests/ui/models/compared_images_test.cpp
[[nodiscard]] ImagePair comparedSlices(const VoxelData& first, const VoxelData& second,
                                       SliceAxis axis, Index index,
                                       const std::stop_token& stop = {});

/// Blends from the first image (share 0) to the second (1). There are no pixels where either image
/// has none, except at the ends, which are the images themselves.
[[nodiscard]] GreyImage blended(const ImagePair& pair, double share);

/// The first image minus the second, in colours.
[[nodiscard]] GreyImage differenceOf(const ImagePair& pair);
/// The narrowest window about zero that shows nearly all of a difference without clipping it.
[[nodiscard]] GreyWindow differenceWindow(const GreyImage& difference);

}  // namespace gantry
