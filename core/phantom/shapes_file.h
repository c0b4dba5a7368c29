#pragma once

#include <filesystem>

#include "core/phantom/phantom.h"

namespace gantry {

/// Reads a phantom of the user: a JSON file with "gantryShapes": 1, a "name" and a list "shapes",
/// each with a "kind" (sphere, ellipsoid or cylinder), "centerMm", an "attenuation" (1/mm, default
/// 0.02) that adds to that of other shapes in the same place, and its size: "radiusMm" of a sphere;
/// "radiusMm" and "heightMm" of an upright cylinder; "halfAxesMm" of an ellipsoid, which
/// "rotationDeg" rotates about its third axis.
/// @throws InputError naming the file and field: malformed, unknown, missing, out of range
/// Tests: tests/core/phantom/shapes_file_test.cpp
[[nodiscard]] Phantom readShapesFile(const std::filesystem::path& path);

}  // namespace gantry
