#pragma once

#include <filesystem>
#include <vector>

namespace gantry {

/// Reads angles from a text file, one a line, in degrees. Blank lines and lines that begin with #
/// are skipped.
/// @throws InputError naming the file and line
/// Tests: tests/core/io/scan_file_test.cpp
[[nodiscard]] std::vector<double> readAngleFile(const std::filesystem::path& path);

}  // namespace gantry
