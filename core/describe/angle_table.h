#pragma once

#include <filesystem>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// The angles of a text table whose lines begin with a number that counts them, from 1, and an
/// angle, in degrees; other lines are skipped. Rows beyond `max` are left out.
/// @throws InputError naming the file and the line: an angle that is no finite number, or a number
///         that does not follow the one before
/// Tests: tests/core/describe/nikon_test.cpp
[[nodiscard]] std::vector<double> readAngleTable(const std::filesystem::path& file, Index max);

}  // namespace gantry
