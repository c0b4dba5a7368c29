#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// A level of an OME-TIFF pyramid: every slice at half the columns and rows of the level before,
/// rounded up. Slices are not thinned out.
struct OmeLevel {
    Index columns = 0;
    Index rows = 0;
    Index begin = 0;  ///< of its first slice, in bytes behind the volume's own voxels

    [[nodiscard]] Index sliceBytes(PixelType type) const {
        return columns * rows * sizeBytes(type);
    }
};

/// The levels below the volume itself, down to at most kCoarsestVoxels along x and y; none where
/// it is as small as that.
[[nodiscard]] std::vector<OmeLevel> omeLevels(const VolumeGrid& grid, PixelType type);

/// What all of them take.
[[nodiscard]] Index omeLevelBytes(const VolumeGrid& grid, PixelType type);

/// Makes the smaller images of slice z, row by row from its attenuations, [y][x]. A voxel is the
/// mean of 2 × 2 of the level before, as they are stored; those that are no numbers do not count,
/// and integers are rounded to the nearest, halves up. write: bytes, from where they go, behind the
/// volume's own voxels. Takes the memory of some rows.
/// Tests: tests/core/io/ome_tiff_test.cpp
void makeOmeLevels(
    const VolumeGrid& grid, const VoxelEncoding& encoding, Index z, std::span<const float> slice,
    const std::function<void(Index offset, std::span<const std::byte> bytes)>& write);

}  // namespace gantry
