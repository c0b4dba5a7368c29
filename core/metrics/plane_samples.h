#pragma once

#include <array>
#include <stop_token>

#include "core/base/span3.h"
#include "core/geometry/vec3.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A plane's pixels in a volume, in voxel coordinates (x, y, z; 0 is the centre of the first
/// voxel): pixel (column, row) lies at first + column·columnStep + row·rowStep.
struct PixelPlane {
    std::array<double, 3> first{};
    std::array<double, 3> columnStep{};
    std::array<double, 3> rowStep{};
};

/// The pixels of a plane given in the world, mm, in coordinates of a grid.
[[nodiscard]] PixelPlane planeIn(const VolumeGrid& grid, Vec3 firstMm, Vec3 columnStepMm,
                                 Vec3 rowStepMm);

/// Values of a volume at the pixels of a plane of any direction, trilinear. The volume's voxels
/// reach from −0.5 to N − 0.5; in the outer half of the border voxels the value is that of their
/// centre. NaN outside; infinite if a voxel with weight is not finite, so that both can be
/// distinguished. volume: [z][y][x]; pixels: [row][column], column fastest, `rows` rows of
/// `columns` pixels
/// @throws Cancelled  `stop` was requested
/// Tests: tests/core/metrics/plane_samples_test.cpp
void samplePlane(Span3<const float> volume, const PixelPlane& plane, Index columns, Index rows,
                 float* pixels, int threads, const std::stop_token& stop = {});

}  // namespace gantry
