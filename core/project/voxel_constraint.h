#pragma once

#include <vector>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/iterate/method.h"

namespace gantry {

/// What voxels may be: within bounds, and 0 outside a mask.
struct VoxelConstraint {
    VoxelBounds bounds;
    std::vector<unsigned char> mask;  ///< [z][y][x], or a slice [y][x] for all; empty: all
    Index sliceVoxels = 0;

    /// Whether the mask leaves voxels of slice z free, from this one of the slice on; null: all.
    [[nodiscard]] const unsigned char* maskAt(Index z, Index voxel) const;
    /// Changes so many values of slice z, from this voxel of the slice on.
    void apply(Index z, Index voxel, Index count, float* values) const;
};

}  // namespace gantry
