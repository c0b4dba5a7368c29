#pragma once

#include <string>
#include <vector>

#include "core/geometry/exchange.h"
#include "core/geometry/view_pose.h"

namespace gantry {

/// Makes v run up in poses of programs whose images may have any row first, seen from the source
/// with u to the right. True where it ran down in most: then the images have the top row first.
/// Tests: tests/core/geometry/astra_vectors_test.cpp, tests/core/geometry/leap_parameters_test.cpp
[[nodiscard]] bool turnRowsUp(std::vector<ViewPose>& poses);

/// What poses that are right by themselves, and whose v runs up, say: as geometryThrough(). On a
/// circle a detector that would be upside down is an upright one whose images are mirrored and have
/// their rows the other way round.
/// Tests: tests/core/geometry/astra_vectors_test.cpp
[[nodiscard]] ExchangedGeometry exchangedThrough(std::vector<ViewPose> poses, bool firstRowIsTop,
                                                 Index columns, Index rows,
                                                 const std::string& where);

}  // namespace gantry
