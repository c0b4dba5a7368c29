#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "core/base/types.h"
#include "core/io/pixel_type.h"

namespace gantry {

/// How the chunks of an array are compressed. The header of a blosc chunk names its inner codec.
enum class ZarrCodec { none, blosc, zlib };

/// A Zarr 2 array as its .zarray describes it: [z][y][x], x fastest. Dimensions of length 1 in
/// front of z (time and channel) are only counted.
/// Tests: tests/core/io/zarr_read_test.cpp, tests/core/io/zarr_hostile_test.cpp
struct ZarrArray {
    std::filesystem::path folder;
    std::array<Index, 3> shape = {0, 0, 0};   ///< voxels along z, y, x
    std::array<Index, 3> chunks = {0, 0, 0};  ///< voxels of a chunk along z, y, x
    Index leading = 0;                        ///< dimensions of length 1 in front of z
    PixelType type = PixelType::float32;
    bool bigEndian = false;
    ZarrCodec codec = ZarrCodec::blosc;
    char separator = '/';  ///< between the numbers in a chunk's name
    double fill = 0;       ///< value of voxels in missing chunks

    /// Chunks along axis 0 (z), 1 (y), 2 (x); those at the far ends reach beyond the array.
    [[nodiscard]] Index chunksAlong(std::size_t axis) const {
        return (shape[axis] + chunks[axis] - 1) / chunks[axis];
    }
    [[nodiscard]] Index chunkVoxels() const { return chunks[0] * chunks[1] * chunks[2]; }
    [[nodiscard]] Index chunkBytes() const { return chunkVoxels() * sizeBytes(type); }
    /// at: the chunk's number along z, y, x
    [[nodiscard]] std::filesystem::path chunkFile(const std::array<Index, 3>& at) const;
};

/// Max size of a chunk that is read.
inline constexpr Index kMaxZarrChunkBytes = Index{1} << 30;

/// Reads FOLDER/.zarray. Its sizes fit memory and files.
/// @throws InputError naming the file and the field if it is not an array of voxels, or is stored
/// in a way that Gantry cannot read
[[nodiscard]] ZarrArray readZarrArray(const std::filesystem::path& folder);

/// The text of .zarray, for blosc and little-endian voxels.
[[nodiscard]] std::string zarrArrayText(const ZarrArray& array);

}  // namespace gantry
