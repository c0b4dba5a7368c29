#pragma once

#include <string>
#include <string_view>

#include "core/io/volume/volume_description.h"

namespace gantry {

/// The ImageDescription of an OME-TIFF whose images are the slices in order of z: OME-XML 2016-06
/// with sizes, type and pitch, and toJson(description) as the image's description.
/// name: of the image. Tests: tests/core/io/ome_tiff_test.cpp
[[nodiscard]] std::string omeText(const VolumeDescription& description, const std::string& name);

/// The VolumeDescription of ours in such a text, or the text itself.
[[nodiscard]] std::string_view descriptionIn(std::string_view imageDescription);

}  // namespace gantry
