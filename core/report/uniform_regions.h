#pragma once

#include <string>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "core/phantom/phantom.h"

namespace gantry {

/// A sphere in which a phantom's attenuation is the same everywhere.
struct UniformRegion {
    Vec3 centerMm;
    double radiusMm = 0;
    double attenuation = 0;  ///< 1/mm
};

/// The largest uniform spheres near the mid-plane (within a quarter of the grid's height from
/// z = `midplaneMm`): one for each combination of shapes that overlap, empty space left out. Each
/// keeps two voxels' distance to every surface and is at least three voxels in radius, so that
/// blurred edges do not count; largest first.
/// Tests: tests/core/report/compare_test.cpp
[[nodiscard]] std::vector<UniformRegion> uniformRegions(const Phantom& phantom,
                                                        const VolumeGrid& grid, double midplaneMm);

}  // namespace gantry
