#pragma once

#include <array>
#include <vector>

#include "core/base/span3.h"

namespace gantry {

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
