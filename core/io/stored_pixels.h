#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "core/base/types.h"
#include "core/io/pixel_type.h"

namespace gantry {

/// Pixels or voxels that lie in one piece in a file.
struct StoredPixels {
    std::filesystem::path path;
    Index offsetBytes = 0;  ///< where they begin in it
    Index storedBytes = 0;  ///< what they take there
    Index count = 0;
    PixelType type = PixelType::float32;
    bool bigEndian = false;
    bool compressed = false;  ///< zlib or gzip

    [[nodiscard]] Index bytes() const { return count * sizeBytes(type); }
};

/// Reads such pixels. Several threads may read at once; compressed ones take turns.
/// Tests: tests/core/io/metaimage_test.cpp
class PixelReader {
  public:
    explicit PixelReader(StoredPixels stored);
    ~PixelReader();

    [[nodiscard]] const StoredPixels& stored() const { return m_stored; }

    /// Reads pixels from number `first` on, in the file's order.
    /// pixels: a whole number of stored().type, host byte order.
    /// Uncompressed, it reads only these bytes; compressed, it continues from the last read's end
    /// or an earlier resting point.
    /// @throws InputError naming the file when it is truncated or damaged
    void read(Index first, std::span<std::byte> pixels) const;

  private:
    struct Data;
    StoredPixels m_stored;
    std::unique_ptr<Data> m_data;
};

}  // namespace gantry
