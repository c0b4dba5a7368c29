#pragma once

#include <array>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/vec3.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A line through a volume for a profile: two samples a voxel, at least two.
struct VoxelLine {
    std::array<double, 3> fromXyz = {0, 0, 0};  ///< voxel coordinates, as lineProfile()'s
    std::array<double, 3> toXyz = {0, 0, 0};
    double lengthMm = 0;
    int samples = 2;

    /// Voxel coordinates of a sample.
    [[nodiscard]] std::array<double, 3> at(int sample) const;
    /// Distance from the line's start.
    [[nodiscard]] double distanceMm(int sample) const;
};
/// An end at most a millionth of a voxel outside of the volume counts as on its face.
/// Tests: tests/core/metrics/line_profile_test.cpp
[[nodiscard]] VoxelLine voxelLine(const VolumeGrid& grid, Vec3 fromMm, Vec3 toMm);
/// @throws InputError when an end lies outside of the grid's voxels
void requireInside(const VolumeGrid& grid, const VoxelLine& line);

/// Values along the line from voxel coordinates `from` to `to` (x, y, z; 0 is the centre of the
/// first voxel), `samples` of them, both ends included, trilinear. In the outer half of the border
/// voxels the value is that of their centre.
/// image: [z][y][x]
/// @throws InputError when an end lies outside the volume's voxels, which reach from −0.5 to
/// N − 0.5, or when samples is less than 2
/// Tests: tests/core/metrics/line_profile_test.cpp
[[nodiscard]] std::vector<double> lineProfile(Span3<const float> image,
                                              const std::array<double, 3>& fromXyz,
                                              const std::array<double, 3>& toXyz, int samples);

}  // namespace gantry
