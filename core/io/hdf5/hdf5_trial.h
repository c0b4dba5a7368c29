#pragma once

#include <filesystem>
#include <functional>

namespace gantry {

/// Tries to read an HDF5 file of unknown origin in another process, where memory faults do no harm:
/// libhdf5 1.10 has some on maliciously damaged files. What `work` throws there is not thrown here,
/// but when the file is read here.
/// @throws FileError  it crashed, or took too long
/// Tests: tests/core/io/hdf5_source_test.cpp, tests/core/io/hdf5_volume_test.cpp
void tryHdf5(const std::filesystem::path& path, const std::function<void()>& work);

}  // namespace gantry
