#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/geometry/vec3.h"

namespace gantry {

/// The balls' centres in the phantom's own frame, mm. A .json file gives the spheres of a list of
/// shapes (core/phantom/shapes_file.h), or of a simulated scan's phantom.json. Any other is a text
/// with a line of column names, xMm, yMm and zMm in any order, and a line for each ball; a column
/// "ball" counts them from 1.
/// @throws InputError naming the file, line and column or field; fewer than 4 balls, or balls that
///         lie on one line or in one place
/// Tests: tests/core/calibrate/ball_file_test.cpp
[[nodiscard]] std::vector<Vec3> readBallFile(const std::filesystem::path& path);

/// Such a text, every number exactly.
[[nodiscard]] std::string toBallCsv(const std::vector<Vec3>& centersMm);

}  // namespace gantry
