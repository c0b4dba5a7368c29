#pragma once

#include <filesystem>

#include "core/io/varian/xim_file.h"

namespace gantry {

/// Whether a file is called as an older image of Varian's machines is: its content has no mark of
/// its own.
[[nodiscard]] bool isHndName(const std::filesystem::path& file);

/// Reads the header of a .hnd image, which older machines write: 1024 bytes, then the sizes of the
/// differences and the pixels, as in a compressed .xim. Among the properties are those of a .xim,
/// and PixelWidthMm and PixelHeightMm. Every size is compared with the file's before memory is
/// taken.
/// @throws InputError naming the file and what in it is out of range
/// Tests: tests/core/io/hnd_test.cpp
[[nodiscard]] XimHeader readHndHeader(const std::filesystem::path& path);

}  // namespace gantry
