#pragma once

#include "core/io/projection_format.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

/// Views in MetaImage files: each slice z of each file is one, each line y a row. Scaled values
/// are refused.
/// Tests: tests/core/io/metaimage_source_test.cpp
[[nodiscard]] ProjectionFormat metaImageProjections();

/// Header and voxels in one file.
/// Tests: tests/core/io/open_sink_test.cpp, tests/core/io/metaimage_test.cpp
[[nodiscard]] VolumeFileFormat metaImageVolumes();

/// The header alone; its voxels lie beside it in NAME.raw.
/// Tests: tests/core/io/open_sink_test.cpp
[[nodiscard]] VolumeFileFormat metaImagePairVolumes();

}  // namespace gantry
