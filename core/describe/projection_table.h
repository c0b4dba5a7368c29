#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// The poses of views by a table of projection matrices, as CERA reads it: behind a few lines for
/// each view "@" and its number, a line of two numbers, and a matrix of 3 lines of 4 numbers. It
/// makes pixels of world mm, counted from the middle of the lowest pixel at the left, rows upwards.
/// detector: its pitch along u says how far from the source it is
/// @throws InputError naming the file and the line: what is no number, a matrix that is cut off or
///         has no inverse, another number of matrices than of views
/// Tests: tests/core/describe/cera_test.cpp
[[nodiscard]] std::vector<ViewPose> readProjectionTable(const std::filesystem::path& file,
                                                        const Detector& detector, Index views);

}  // namespace gantry
