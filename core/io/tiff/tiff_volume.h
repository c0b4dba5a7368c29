#pragma once

#include "core/io/volume/volume_format.h"

namespace gantry {

/// One BigTIFF, an image a slice; any TIFF file is read.
/// Tests: tests/core/io/tiff_sink_test.cpp, tests/core/io/read_volume_test.cpp
[[nodiscard]] VolumeFileFormat bigTiffVolumes();

/// The same as OME-TIFF, a pyramid of ever smaller images of each slice (SubIFDs): OME-XML
/// describes the images. Tests: tests/core/io/ome_tiff_test.cpp
[[nodiscard]] VolumeFileFormat omeTiffVolumes();

/// A folder of TIFF files, one a slice.
/// Tests: tests/core/io/tiff_sink_test.cpp, tests/core/io/read_volume_test.cpp
[[nodiscard]] VolumeFileFormat tiffFolderVolumes();

}  // namespace gantry
