#pragma once

#include <array>

#include "core/base/types.h"
#include "core/project/grid_rays.h"
#include "core/project/line_kernels.h"

namespace gantry {

/// The planes along a fan's axis, of so many, that are in front of its source.
[[nodiscard]] IndexRange planesOf(const GridRays& rays, const RayFan& fan, Index planes);

/// Where the rays of an upright view hit plane `plane` of axis x or y, for kernels: as a function
/// of the detector's column and row, in padded voxels of the plane. Its rows are left null.
[[nodiscard]] ColumnsView onPlane(const GridRays& rays, int axis, Index plane);

/// Rays of some rows of one detector column, any position, through the planes along the fan's axis.
class RayBundle {
  public:
    /// rows: at most kRayRows; strides: of x, y and z of the slab
    RayBundle(const GridRays& rays, const RayFan& fan, Index u, IndexRange rows,
              const std::array<Index, 3>& voxels, const std::array<Index, 3>& strides);

    /// At the planes [planes.begin, planes.end), at most kRayPlanes. slab: voxel (0, 0, 0)
    const RayTask& through(IndexRange planes, float* slab);

  private:
    RayTask m_task{};
    std::array<double, kRayRows> m_b{};  // at plane 0
    std::array<double, kRayRows> m_c{};
};

}  // namespace gantry
