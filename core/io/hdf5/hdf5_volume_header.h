#pragma once

#include <filesystem>

#include "core/io/volume/flat_sink.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

/// The dataset that holds the voxels, [z][y][x], and its attribute with the VolumeDescription.
inline constexpr const char* kHdf5Voxels = "/entry/data/data";
inline constexpr const char* kHdf5Description = "gantryVolume";

/// The bytes before and behind the voxels of a volume in an HDF5 file, which lie in one piece, so
/// that several processes may write slices in any order. It is a NeXus file of the definition
/// NXtomoproc: /entry/data/data is the default plot, over the axes z, y and x (voxel centres, mm);
/// /exchange/data is the same dataset for Data Exchange. Attributes of the dataset: "units" or, for
/// scaled voxels, "slope" and "intercept" that give 1/mm; "element_size_um" (z, y, x) as Fiji and
/// ilastik read it; and "gantryVolume", our description. The same volume always gives the same
/// bytes.
/// @throws ResourceError  there is no memory for it
/// Tests: tests/core/io/hdf5_volume_test.cpp
[[nodiscard]] FlatLayout hdf5VolumeLayout(const std::filesystem::path& path,
                                          const VolumeDescription& volume);

}  // namespace gantry
