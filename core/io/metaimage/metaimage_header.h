#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/base/types.h"
#include "core/io/pixel_type.h"

namespace gantry {

/// What a MetaImage header (.mha, .mhd) says of its voxels and where they are. One channel, binary,
/// axes along world x, y, z; anything else is refused on reading.
/// Tests: tests/core/io/metaimage_test.cpp
struct MetaImageHeader {
    std::filesystem::path path;             ///< of the header itself
    std::array<Index, 3> size = {0, 0, 1};  ///< x, y, z; z is 1 with NDims = 2
    std::array<double, 3> spacingMm = {1, 1, 1};
    std::array<double, 3> originMm = {0, 0, 0};  ///< centre of voxel (0,0,0)
    PixelType type = PixelType::float32;
    bool bigEndian = false;
    double slope = 1;  ///< the quantity is slope · voxel + intercept
    double intercept = 0;

    std::filesystem::path dataPath;  ///< the file with the voxels; `path` itself when LOCAL
    Index dataOffset = 0;            ///< where the voxels begin in it
    Index storedBytes = 0;           ///< what they take there
    bool compressed = false;         ///< zlib or gzip

    [[nodiscard]] Index voxelCount() const { return size[0] * size[1] * size[2]; }
    [[nodiscard]] Index dataBytes() const { return voxelCount() * sizeBytes(type); }
};

/// Reads a header and checks it against the true size of the file with the voxels, so that
/// dataBytes() of memory may be taken afterwards.
/// @throws InputError naming the file and the header's field
[[nodiscard]] MetaImageHeader readMetaImageHeader(const std::filesystem::path& path);

/// The header's text: little-endian, uncompressed, ready to be followed by the voxels when dataPath
/// is empty or `path`; else it names dataPath's file, which must lie in the same folder.
[[nodiscard]] std::string metaImageText(const MetaImageHeader& header);

/// Reads the voxels of a MetaImage. Several threads may read at once; compressed ones take turns.
/// Tests: tests/core/io/metaimage_test.cpp
class MetaImageVoxels {
  public:
    explicit MetaImageVoxels(MetaImageHeader header);
    ~MetaImageVoxels();

    [[nodiscard]] const MetaImageHeader& header() const { return m_header; }

    /// Reads voxels from number `first` on, in the file's order (x fastest, then y, z).
    /// voxels: a whole number of header().type, host byte order.
    /// Uncompressed, it reads only these bytes; compressed, it continues from the last read's end
    /// or an earlier resting point.
    /// @throws InputError naming the file when it is truncated or damaged
    void read(Index first, std::span<std::byte> voxels) const;

  private:
    struct Data;
    MetaImageHeader m_header;
    std::unique_ptr<Data> m_data;
};

}  // namespace gantry
