#pragma once

#include <array>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A 3×4 matrix in double. Applied to (X, Y, Z, 1) it gives (u·z, v·z, z): pixel coordinates and
/// the depth z, in mm, from the source along the normal of the detector (iFDK eq. 2, in our world).
/// For an aligned detector z is the distance along the gantry's axis, which FDK's weight needs. For
/// parallel rays z is 1: their third row is (0, 0, 0, 1).
/// Tests: tests/core/geometry/projection_matrix_test.cpp
struct ProjectionMatrix {
    std::array<std::array<double, 4>, 3> m{};

    friend bool operator==(const ProjectionMatrix&, const ProjectionMatrix&) = default;

    struct Point {
        double u;
        double v;
        double z;
    };
    [[nodiscard]] Point project(double x, double y, double z) const;
};

/// World mm to pixels.
[[nodiscard]] ProjectionMatrix projectionMatrix(const ViewPose& pose, const Detector& detector);
[[nodiscard]] std::vector<ProjectionMatrix> projectionMatrices(const ScanGeometry& geometry);

/// The same matrix taking voxel indices of `grid` instead of world mm.
[[nodiscard]] ProjectionMatrix onVoxelIndices(const ProjectionMatrix& matrix,
                                              const VolumeGrid& grid);

}  // namespace gantry
