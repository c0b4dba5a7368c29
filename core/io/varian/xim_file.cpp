#include "core/io/varian/xim_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"

namespace gantry {

namespace {

static_assert(std::endian::native == std::endian::little, "the file's numbers are little-endian");

constexpr Index kMaxSize = 65536;
constexpr Index kMaxProperties = 10'000;
constexpr Index kMaxNameBytes = 1000;

// Reads a file's fields one behind the other; none reaches beyond its end.
class FieldReader {
  public:
    explicit FieldReader(const std::filesystem::path& path)
        : m_file(path, File::Mode::read), m_size(m_file.sizeBytes()) {}

    [[nodiscard]] Index size() const { return m_size; }
    [[nodiscard]] Index position() const { return m_position; }
    [[nodiscard]] Index left() const { return m_size - m_position; }

    template <class Value>
    Value take() {
        Value value{};
        require(sizeof value, "ends within its header");
        m_file.readAt(m_position, std::as_writable_bytes(std::span(&value, 1)));
        m_position += static_cast<Index>(sizeof value);
        return value;
    }
    std::string takeText(Index bytes) {
        require(bytes, "ends within its header");
        std::string text(static_cast<std::size_t>(bytes), '\0');
        m_file.readAt(m_position, std::as_writable_bytes(std::span(text)));
        m_position += bytes;
        return text;
    }
    /// A size of what follows, in units of so many bytes.
    Index takeSize(const char* what, Index unitBytes) {
        const Index count = take<std::int32_t>();
        if (count < 0 || count > left() / unitBytes)
            throwErrorOf<FileError>(m_file.path(), "has {} {}; the file ends before", count, what);
        return count;
    }
    void skip(Index bytes) {
        require(bytes, "is cut off");
        m_position += bytes;
    }

  private:
    void require(Index bytes, const char* fault) const {
        if (bytes < 0 || bytes > left()) throw FileError(m_file.path(), fault);
    }

    File m_file;
    Index m_size = 0;
    Index m_position = 0;
};

Index takeWithin(FieldReader& fields, const XimHeader& header, const char* what, Index max) {
    const Index value = fields.take<std::int32_t>();
    if (value < 1 || value > max)
        throwErrorOf<FileError>(header.path, "has {} {}; it must be 1 to {}", value, what, max);
    return value;
}

// Differences take a byte at least, and the first row and a pixel four.
void takeCompressed(FieldReader& fields, XimHeader& header) {
    const Index pixels = header.shape.columns * header.shape.rows;
    const Index differences = std::max<Index>(pixels - header.shape.columns - 1, 0);
    header.isCompressed = true;
    header.shape.type = PixelType::int32;
    const Index tableBytes = fields.takeSize("bytes of sizes", 1);
    if (tableBytes < (differences + 3) / 4)
        throwErrorOf<FileError>(header.path, "has {} bytes of sizes; {} x {} pixels need {}",
                                tableBytes, header.shape.columns, header.shape.rows,
                                (differences + 3) / 4);
    header.tableBegin = fields.position();
    fields.skip(tableBytes);
    header.pixelsBytes = fields.takeSize("bytes of pixels", 1);
    header.pixelsBegin = fields.position();
    const Index needed = 4 * std::min(header.shape.columns + 1, pixels) + differences;
    if (header.pixelsBytes < needed)
        throwErrorOf<FileError>(header.path, "has {} bytes of pixels; {} x {} need {} or more",
                                header.pixelsBytes, header.shape.columns, header.shape.rows,
                                needed);
    fields.skip(header.pixelsBytes);
    fields.take<std::int32_t>();  // their size before they were compressed
}

void takePlain(FieldReader& fields, XimHeader& header, Index pixelBytes) {
    if (pixelBytes != 1 && pixelBytes != 2 && pixelBytes != 4)
        throwErrorOf<FileError>(header.path, "has pixels of {} bytes; 1, 2 and 4 are read",
                                pixelBytes);
    header.shape.type = pixelBytes == 1   ? PixelType::uint8
                        : pixelBytes == 2 ? PixelType::uint16
                                          : PixelType::int32;
    header.pixelsBytes = fields.takeSize("bytes of pixels", 1);
    header.pixelsBegin = fields.position();
    const Index needed = header.shape.columns * header.shape.rows * pixelBytes;
    if (header.pixelsBytes != needed)
        throwErrorOf<FileError>(header.path, "has {} bytes of pixels; {} x {} of {} bytes have {}",
                                header.pixelsBytes, header.shape.columns, header.shape.rows,
                                pixelBytes, needed);
    fields.skip(needed);
}

void takeProperties(FieldReader& fields, XimHeader& header) {
    if (fields.left() == 0) return;
    fields.skip(4 * fields.takeSize("columns of a histogram", 4));
    if (fields.left() == 0) return;
    const Index count = fields.take<std::int32_t>();
    if (count < 0 || count > kMaxProperties)
        throwErrorOf<FileError>(header.path, "has {} properties; at most {} are read", count,
                                kMaxProperties);
    for (Index i = 0; i < count; ++i) {
        const Index nameBytes =
            takeWithin(fields, header, "bytes in a property's name", kMaxNameBytes);
        const std::string name = fields.takeText(nameBytes);
        const Index kind = fields.take<std::int32_t>();
        if (kind == 0) {
            header.properties[name] = fields.take<std::int32_t>();
        } else if (kind == 1) {
            if (const auto value = fields.take<double>(); std::isfinite(value))
                header.properties[name] = value;
        } else if (kind == 2 || kind == 4 || kind == 5) {
            fields.skip(fields.takeSize("bytes of a property", 1));
        } else {
            throwErrorOf<FileError>(header.path,
                                    "has a property of kind {}; 0, 1, 2, 4 and 5 are "
                                    "known",
                                    kind);
        }
    }
}

// Adds up the differences of a compressed image.
class Decoder {
  public:
    explicit Decoder(const XimHeader& header) : m_header(header), m_columns(header.shape.columns) {
        const File file(header.path, File::Mode::read);
        m_table.resize(static_cast<std::size_t>(header.pixelsBegin - header.tableBegin));
        m_stored.resize(static_cast<std::size_t>(header.pixelsBytes));
        file.readAt(header.tableBegin, std::as_writable_bytes(std::span(m_table)));
        file.readAt(header.pixelsBegin, std::as_writable_bytes(std::span(m_stored)));
    }

    void decode(std::span<std::uint32_t> pixels) {
        const Index plain = std::min<Index>(m_columns + 1, std::ssize(pixels));
        for (Index i = 0; i < plain; ++i)
            pixels[i] = difference(4);
        constexpr std::array<Index, 4> kBytes = {1, 2, 4, 0};
        for (Index i = plain; i < std::ssize(pixels); ++i) {
            const Index number = i - m_columns - 1;
            const auto place = static_cast<unsigned>(number % 4) * 2;
            const Index bytes = kBytes[m_table[static_cast<std::size_t>(number / 4)] >> place & 3U];
            if (bytes == 0) throw FileError(m_header.path, "has a difference of an unknown size");
            // Sums wrap as they do where the image is written.
            pixels[i] = difference(bytes) + pixels[i - 1] + pixels[i - m_columns] -
                        pixels[i - m_columns - 1];
        }
    }

  private:
    std::uint32_t difference(Index bytes) {
        if (bytes > std::ssize(m_stored) - m_position)
            throw FileError(m_header.path, "has fewer pixels than its size says");
        std::int32_t value = 0;
        const std::uint8_t* const from = m_stored.data() + m_position;
        m_position += bytes;
        if (bytes == 1) {
            value = *from < 0x80 ? *from : *from - 0x100;
        } else if (bytes == 2) {
            std::int16_t two = 0;
            std::memcpy(&two, from, sizeof two);
            value = two;
        } else {
            std::memcpy(&value, from, sizeof value);
        }
        return static_cast<std::uint32_t>(value);
    }

    const XimHeader& m_header;
    Index m_columns = 0;
    std::vector<std::uint8_t> m_table;
    std::vector<std::uint8_t> m_stored;
    Index m_position = 0;
};

}  // namespace

XimHeader readXimHeader(const std::filesystem::path& path) {
    FieldReader fields(path);
    XimHeader header;
    header.path = path;
    header.fileBytes = fields.size();
    constexpr Index kMagicBytes = 8;
    if (fields.takeText(kMagicBytes).substr(0, 6) != "VMS.XI")
        throw FileError(path, "does not begin with VMS.XI as a .xim image does");
    fields.take<std::int32_t>();  // version
    header.shape.columns = takeWithin(fields, header, "columns", kMaxSize);
    header.shape.rows = takeWithin(fields, header, "rows", kMaxSize);
    fields.take<std::int32_t>();  // bits of a pixel
    const Index pixelBytes = fields.take<std::int32_t>();
    const Index compression = fields.take<std::int32_t>();
    if (compression == 0)
        takePlain(fields, header, pixelBytes);
    else if (compression == 1)
        takeCompressed(fields, header);
    else
        throwErrorOf<FileError>(path, "has the compression {}; 0 and 1 are known", compression);
    takeProperties(fields, header);
    return header;
}

std::vector<std::byte> readXimRows(const XimHeader& header, Index endRow) {
    const Index count = header.shape.columns * endRow;
    std::vector<std::byte> pixels(static_cast<std::size_t>(count * sizeBytes(header.shape.type)));
    if (header.isCompressed) {
        std::vector<std::uint32_t> values(static_cast<std::size_t>(count));
        Decoder(header).decode(values);
        std::memcpy(pixels.data(), values.data(), pixels.size());
    } else {
        File(header.path, File::Mode::read).readAt(header.pixelsBegin, pixels);
    }
    return pixels;
}

}  // namespace gantry
