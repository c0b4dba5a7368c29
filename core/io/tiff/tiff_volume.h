#pragma once

#include "core/io/volume/volume_format.h"

namespace gantry {

/// One BigTIFF, an image a slice; any TIFF file is read.
/// Tests: tests/core/io/tiff_sink_test.cpp, tests/core/io/read_volume_test.cpp
[[nodiscard]] VolumeFileFormat bigTiffVolumes();

/// A folder of TIFF files, one a slice.
/// Tests: tests/core/io/tiff_sink_test.cpp, tests/core/io/read_volume_test.cpp
[[nodiscard]] VolumeFileFormat tiffFolderVolumes();

}  // namespace gantry
