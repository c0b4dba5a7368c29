#pragma once

#include <vector>

#include "core/geometry/view_pose.h"

namespace gantry {

/// Makes v run up in poses of programs whose images may have any row first, seen from the source
/// with u to the right. True where it ran down: then the images have the top row first.
/// Tests: tests/core/geometry/astra_vectors_test.cpp, tests/core/geometry/leap_parameters_test.cpp
[[nodiscard]] bool turnRowsUp(std::vector<ViewPose>& poses);

}  // namespace gantry
