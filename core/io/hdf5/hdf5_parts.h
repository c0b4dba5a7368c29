#pragma once

#include <filesystem>
#include <vector>

namespace gantry {

/// The other files in which an HDF5 file has its images: those of a virtual dataset, and those that
/// its links lead to; only those that exist. Empty for files of other formats, and for files that
/// cannot be read. Tests: tests/core/io/input_files_test.cpp
[[nodiscard]] std::vector<std::filesystem::path> hdf5Parts(const std::filesystem::path& file);

}  // namespace gantry
