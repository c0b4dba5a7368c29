#pragma once

#include "core/io/volume/volume_format.h"

namespace gantry {

/// NIfTI in one file (.nii): version 1, or 2 where an axis has more than 32767 voxels. Its world is
/// right, anterior and superior: x and y run against ours, so that programs which convert show the
/// same as with MetaImage. Version 1 has 32-bit floats: slope and intercept of what is written are
/// rounded to those beforehand. Reads both versions of either byte order.
/// Tests: tests/core/io/flat_formats_test.cpp
[[nodiscard]] VolumeFileFormat niftiVolumes();

}  // namespace gantry
