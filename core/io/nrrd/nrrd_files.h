#pragma once

#include "core/io/volume/volume_format.h"

namespace gantry {

/// NRRD with header and voxels in one file. World x, y, z are left, posterior and superior, as in
/// MetaImage; GantrySlope and GantryIntercept are key/value pairs. Reads raw and gzip.
/// Tests: tests/core/io/flat_formats_test.cpp
[[nodiscard]] VolumeFileFormat nrrdVolumes();

/// The header alone (.nhdr); its voxels lie beside it in NAME.raw.
/// Tests: tests/core/io/flat_formats_test.cpp
[[nodiscard]] VolumeFileFormat nrrdPairVolumes();

}  // namespace gantry
