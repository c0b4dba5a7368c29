#pragma once

#include <filesystem>
#include <vector>

#include "core/io/volume/volume_format.h"

namespace gantry {

/// HDF5 files. Ours are written as hdf5VolumeLayout() describes. Files of other programs are read
/// if their voxels are the default plot of NeXus, /exchange/data (Data Exchange) or the file's only
/// dataset of three dimensions at its top, [z][y][x], compressed or not; the pitch is the attribute
/// element_size_um (Fiji, ilastik) or 1 mm, the volume is centred on the origin, values are
/// attenuation. Scans (NXtomo, Data Exchange with angles or flat frames) are refused.
/// Tests: tests/core/io/hdf5_volume_test.cpp, tests/core/io/open_sink_test.cpp
[[nodiscard]] VolumeFileFormat hdf5Volumes();

/// The other files in which an HDF5 file has its images: those of a virtual dataset, and those that
/// its links lead to; only those that exist. Empty for files of other formats, and for files that
/// cannot be read. Tests: tests/core/io/input_files_test.cpp
[[nodiscard]] std::vector<std::filesystem::path> hdf5Parts(const std::filesystem::path& file);

}  // namespace gantry
