#pragma once

#include <memory>

#include "core/io/volume/volume_format.h"
#include "core/io/volume/volume_levels.h"

namespace gantry {

/// OME-Zarr: a folder NAME.ome.zarr, or any name that ends in .zarr, with the volume in chunks and
/// in ever coarser levels.
/// Tests: tests/core/io/zarr_pyramid_test.cpp
[[nodiscard]] VolumeFileFormat zarrVolumes();

/// All levels of the image in a folder. @throws InputError as readZarrImage()
/// Tests: tests/core/io/volume_levels_test.cpp
[[nodiscard]] std::unique_ptr<VolumeLevels> openZarrLevels(const std::filesystem::path& folder);

}  // namespace gantry
