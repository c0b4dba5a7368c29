#pragma once

#include "core/base/span3.h"
#include "core/geometry/vec3.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// What the voxels of a region hold. NaN and infinite ones are counted and left out of the rest.
struct RegionStatistics {
    double mean = 0;
    double standardDeviation = 0;  ///< of the sample: divided by voxels − 1; 0 for a single voxel
    double smallest = 0;
    double largest = 0;
    Index voxels = 0;
    Index notFinite = 0;
};

/// Voxels whose centres lie in the sphere, its surface included.
/// image: [z][y][x], on `grid`
/// @throws InputError when the sphere holds no voxel with a finite value, or its radius is not
/// above 0
/// Tests: tests/core/metrics/region_test.cpp
[[nodiscard]] RegionStatistics sphereStatistics(Span3<const float> image, const VolumeGrid& grid,
                                                Vec3 centerMm, double radiusMm);

}  // namespace gantry
