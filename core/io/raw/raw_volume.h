#pragma once

#include "core/io/volume/volume_format.h"

namespace gantry {

/// Voxels only, described by the VolumeDescription in NAME.raw.json.
/// Tests: tests/core/io/open_sink_test.cpp, tests/core/io/read_volume_test.cpp
[[nodiscard]] VolumeFileFormat rawVolumes();

}  // namespace gantry
