#pragma once

#include <string>
#include <string_view>

#include "core/geometry/volume_grid.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// The content and position of a volume file, as in the JSON beside a .raw file and in the
/// ImageDescription of TIFF slices.
/// Tests: tests/core/io/read_volume_test.cpp
struct VolumeDescription {
    VolumeGrid grid;
    VoxelEncoding encoding;
};

/// ASCII, one line: {"gantryVolume": 1, "voxels": [x, y, z], "pitchMm", "centerMm", "originMm"
/// (centre of voxel (0,0,0)), "type", "slope", "intercept", "byteOrder": "little", "unit": "1/mm"},
/// or "unit": "HU" and "calibration": [slope, intercept] of ValueScale
[[nodiscard]] std::string toJson(const VolumeDescription& description);

/// Whether the text is meant as such a description: TIFF files contain all kinds of text.
[[nodiscard]] bool isVolumeDescription(std::string_view text);

/// @param where  the file, for messages
/// @throws InputError naming the file and the field
[[nodiscard]] VolumeDescription parseVolumeDescription(std::string_view text,
                                                       const std::string& where);

}  // namespace gantry
