#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "core/base/types.h"
#include "core/io/stored_pixels.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// The content of a MetaImage header (.mha, .mhd): its voxels and where they are. One channel,
/// binary, axes along world x, y, z or against them; anything else is refused on reading.
/// Tests: tests/core/io/metaimage_test.cpp
struct MetaImageHeader {
    std::filesystem::path path;             ///< of the header itself
    std::array<Index, 3> size = {0, 0, 1};  ///< x, y, z; z is 1 with NDims = 2
    std::array<double, 3> spacingMm = {1, 1, 1};
    std::array<double, 3> originMm = {0, 0, 0};  ///< centre of voxel (0,0,0)
    /// Which axes of the voxels run against the world's: a −1 of TransformMatrix or, without that
    /// field, a letter of AnatomicalOrientation (RAI: none).
    std::array<bool, 3> isReversed = {};
    /// The first two axes have a spacing, origin or direction that differs from the default of
    /// programs that know none: 1 mm, 0 mm and along the world's.
    bool isPlaced = false;
    /// A sentence if the header's own fields contradict each other about the axes' directions; else
    /// empty.
    std::string contradiction;
    double slope = 1;  ///< the quantity is slope · voxel + intercept
    double intercept = 0;
    ValueScale scale;   ///< of volumes: what the quantity is
    StoredPixels data;  ///< the voxels, x fastest, then y, z; in `path` itself when LOCAL
};

/// Reads a header and checks it against the true size of the file with the voxels, so that
/// data.bytes() of memory may be taken afterwards.
/// @throws InputError naming the file and the header's field
[[nodiscard]] MetaImageHeader readMetaImageHeader(const std::filesystem::path& path);

/// The file that a header names for its voxels, or the header's own. Its other fields may be wrong.
/// @throws InputError naming the file and the header's field
[[nodiscard]] std::filesystem::path metaImageDataFile(const std::filesystem::path& path);

/// The header's text: little-endian, uncompressed. The voxels follow it if data.path is empty or
/// `path`; otherwise it names that file, which must be in the same folder.
[[nodiscard]] std::string metaImageText(const MetaImageHeader& header);

}  // namespace gantry
