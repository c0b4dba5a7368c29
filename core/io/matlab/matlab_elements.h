#pragma once

#include <filesystem>

namespace gantry {

/// Checks that a MATLAB 5 file is complete: each variable lies within the file, and those that are
/// compressed, up to 512 MB inflated, match their checksums. libmatio would read missing bytes as
/// zeros.
/// @throws InputError naming the file: of another version, too large for a geometry, cut off,
///         damaged
/// Tests: tests/core/io/tigre_geometry_test.cpp
void checkMatlabElements(const std::filesystem::path& path);

}  // namespace gantry
