#include "core/io/stored_pixels.h"

#include <bit>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/inflate_reader.h"

namespace gantry {

struct PixelReader::Data {
    File file;
    std::optional<InflateReader> inflated;
};

PixelReader::PixelReader(StoredPixels stored)
    : m_stored(std::move(stored)), m_data(std::make_unique<Data>()) {
    File file(m_stored.path, File::Mode::read);
    if (m_stored.compressed)
        m_data->inflated.emplace(std::move(file), m_stored.offsetBytes, m_stored.storedBytes,
                                 m_stored.bytes());
    else
        m_data->file = std::move(file);
}

PixelReader::~PixelReader() = default;

void PixelReader::read(Index first, std::span<std::byte> pixels) const {
    const Index pixelBytes = sizeBytes(m_stored.type);
    const auto bytes = std::ssize(pixels);
    require(first >= 0 && bytes % pixelBytes == 0 && first * pixelBytes + bytes <= m_stored.bytes(),
            "pixels are read beyond the end of those in a file");
    if (m_data->inflated)
        m_data->inflated->read(first * pixelBytes, pixels);
    else
        m_data->file.readAt(m_stored.offsetBytes + first * pixelBytes, pixels);
    const bool hostIsBig = std::endian::native == std::endian::big;
    if (m_stored.bigEndian != hostIsBig) swapBytes(pixels, pixelBytes);
}

}  // namespace gantry
