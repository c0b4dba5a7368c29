#pragma once

#include "core/io/volume/volume_format.h"

namespace gantry {

/// The files of VGSTUDIO: a .vgi, which describes, and the voxels in the .vol of the same name.
/// Position and pitch are those of its volume primitive; the text of its description is our
/// VolumeDescription, which has slope, intercept and unit.
/// Tests: tests/core/io/flat_formats_test.cpp
[[nodiscard]] VolumeFileFormat vgiVolumes();

}  // namespace gantry
