#pragma once

#include "core/io/volume/volume_format.h"

namespace gantry {

/// Header and voxels in one file.
/// Tests: tests/core/io/open_sink_test.cpp, tests/core/io/metaimage_test.cpp
[[nodiscard]] VolumeFileFormat metaImageVolumes();

/// The header alone; its voxels lie beside it in NAME.raw.
/// Tests: tests/core/io/open_sink_test.cpp
[[nodiscard]] VolumeFileFormat metaImagePairVolumes();

}  // namespace gantry
