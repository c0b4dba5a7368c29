#pragma once

#include <array>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/vec3.h"
#include "core/geometry/views/view_pose.h"
#include "core/geometry/volume_grid.h"
#include "core/project/projector.h"

namespace gantry {

/// A ray, from + t·along for t > 0, in voxel indices of a grid; or how it changes from pixel to
/// pixel.
struct GridRay {
    std::array<double, 3> from{};
    std::array<double, 3> along{};

    /// This ray, `steps` pixels further.
    [[nodiscard]] GridRay moved(double steps, const GridRay& step) const;
};

/// Columns of a view whose rays step along the same axis in the same direction.
struct RayFan {
    IndexRange columns;
    int axis = 0;          ///< 0, 1, 2: x, y, z
    bool forward = false;  ///< towards larger indices
};

/// The rays of one view on a grid: that through pixel (0, 0), and its change along u and v.
struct GridRays {
    GridRay corner;
    GridRay uStep;
    GridRay vStep;
    std::array<double, 3> pitchMm{};  ///< of the voxels
    bool isParallel = false;
    /// Whether all rays of a column pass the same voxel columns, z rising with v: then they never
    /// step along z.
    bool isUpright = false;
    std::vector<RayFan> fans;  ///< of all columns, in order

    [[nodiscard]] GridRay ray(double u, double v) const;
    /// What the sum over the planes that rays visit is multiplied by, for all rows of a column of
    /// a fan: mm from plane to plane, or 0 where a ray runs against the fan's direction.
    void planeDistancesMm(const RayFan& fan, Index u, Index rows, float* out) const;
};

/// Tests: tests/core/project/joseph_test.cpp
[[nodiscard]] GridRays raysOn(const VolumeGrid& grid, const ViewPose& pose, Index columns,
                              Index rows);

}  // namespace gantry
