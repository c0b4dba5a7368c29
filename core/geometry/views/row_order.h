#pragma once

#include <string>
#include <vector>

#include "core/geometry/exchange/exchange.h"
#include "core/geometry/views/view_pose.h"

namespace gantry {

/// Makes v run up, seen from the source with u to the right, in poses of programs whose images may
/// have any row first. True if it ran down in most poses: then the images have the top row first.
/// Tests: tests/core/geometry/astra_vectors_test.cpp, tests/core/geometry/leap_parameters_test.cpp
[[nodiscard]] bool turnRowsUp(std::vector<ViewPose>& poses);

/// The geometry that orbitOrPoses() returns for valid poses whose v runs up. On a circle, a
/// detector that would be upside down becomes an upright one whose images are mirrored and have
/// reversed rows. Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] ExchangedGeometry exchangedOrbitOrPoses(std::vector<ViewPose> poses,
                                                      bool firstRowIsTop, Index columns, Index rows,
                                                      const std::string& where);

}  // namespace gantry
