#pragma once

#include <filesystem>
#include <functional>

namespace gantry {

/// Does what reads an HDF5 file of unknown origin in another process, where its memory faults do no
/// harm: libhdf5 1.10 has them on files that are damaged on purpose. What `work` throws there is
/// not thrown here, but where the file is read here.
/// @throws FileError  it crashed, or took too long
/// Tests: tests/core/io/hdf5_source_test.cpp, tests/core/io/hdf5_volume_test.cpp
void tryHdf5(const std::filesystem::path& path, const std::function<void()>& work);

}  // namespace gantry
