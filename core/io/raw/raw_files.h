#pragma once

#include "core/io/projection_format.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

/// Views in raw files of any name. Each x.raw is described by x.raw.json or x.json beside it:
/// {"gantryRaw": 1, "columns": 640, "rows": 480, "views": 720, "type": "uint16",
/// "byteOrder": "little", "offsetBytes": 0}; the last two may be left out. Errors in a header name
/// its field; a size that differs from the header's names the file.
/// Tests: tests/core/io/raw_source_test.cpp
[[nodiscard]] ProjectionFormat rawProjections();

/// Views in files without any header, for who knows what they hold: OpenOptions::bare, which must
/// be given. It takes no file by itself. Errors name a file whose size is no whole number of
/// images. Tests: tests/core/io/raw_source_test.cpp
[[nodiscard]] ProjectionFormat bareProjections();

/// Voxels only, described by the VolumeDescription in NAME.raw.json.
/// Tests: tests/core/io/open_sink_test.cpp, tests/core/io/read_volume_test.cpp
[[nodiscard]] VolumeFileFormat rawVolumes();

}  // namespace gantry
