#pragma once

#include <filesystem>

namespace gantry {

/// Checks that a file of MATLAB 5 has all of its variables: each lies within the file, and those
/// that are compressed, up to 512 MB inflated, agree with their checksums. libmatio takes what is
/// missing for zeros.
/// @throws InputError naming the file: of another version, too large for a geometry, cut off,
///         damaged
/// Tests: tests/core/io/tigre_geometry_test.cpp
void checkMatlabElements(const std::filesystem::path& path);

}  // namespace gantry
