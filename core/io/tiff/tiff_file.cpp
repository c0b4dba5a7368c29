#include "core/io/tiff/tiff_file.h"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/io/file_error.h"
#include "core/io/image_shape.h"
#include "core/io/tiff/tiff_directory.h"

namespace gantry {

namespace {

// More directories than any scan has; walking them takes libtiff quadratic time.
constexpr std::size_t kMaxImages = 100'000;

// Without memory mapping: a file that shrinks meanwhile would end the process.
constexpr const char* kReadMode = "rm";

// Reads rows as they are stored, first stored row first.
class RowReader {
  public:
    RowReader(const TiffHandle& handle, const TiffDirectory& directory, IndexRange rows,
              std::span<std::byte> pixels, HostBuffer<std::byte>& scratch)
        : m_handle(handle),
          m_directory(directory),
          m_rows(rows),
          m_pixels(pixels),
          m_scratch(scratch) {}

    void read() {
        if (m_directory.plainRows)
            readPlainRows();
        else if (m_directory.image.tiled)
            readTiles();
        else
            readStrips();
    }

  private:
    std::byte* scratch(Index bytes) {
        if (m_scratch.count() < bytes) m_scratch = HostBuffer<std::byte>(bytes);
        return m_scratch.data();
    }
    void readPlainRows();
    void readStrips();
    void readTiles();
    void swapBytes();
    void copyTile(const std::byte* tile, Index tileRow, Index tileColumn);
    [[nodiscard]] std::byte* row(Index r) const {
        return m_pixels.data() + (r - m_rows.begin) * m_directory.rowBytes();
    }

    const TiffHandle& m_handle;
    const TiffDirectory& m_directory;
    IndexRange m_rows;
    std::span<std::byte> m_pixels;
    HostBuffer<std::byte>& m_scratch;
};

void RowReader::readPlainRows() {
    const Index rowBytes = m_directory.rowBytes();
    // Strips usually follow one another: one read takes all that do.
    Index runBegin = 0;
    Index runBytes = 0;
    std::byte* target = m_pixels.data();
    const auto readRun = [&] {
        m_handle.file().readAt(runBegin, {target, static_cast<std::size_t>(runBytes)});
        target += runBytes;
    };
    for (Index r = m_rows.begin; r < m_rows.end;) {
        const Index strip = r / m_directory.pieceRows;
        const Index end = std::min((strip + 1) * m_directory.pieceRows, m_rows.end);
        const auto stripBegin = static_cast<Index>(
            TIFFGetStrileOffset(m_handle.get(), static_cast<std::uint32_t>(strip)));
        const Index begin = stripBegin + (r - strip * m_directory.pieceRows) * rowBytes;
        if (runBytes > 0 && begin != runBegin + runBytes) {
            readRun();
            runBytes = 0;
        }
        if (runBytes == 0) runBegin = begin;
        runBytes += (end - r) * rowBytes;
        r = end;
    }
    if (runBytes > 0) readRun();
    if (m_directory.foreignOrder) swapBytes();
}

void RowReader::swapBytes() {
    const auto swap = [&]<class T>(void (*swapMany)(T*, tmsize_t)) {
        // The caller's buffer need not be aligned for T.
        for (std::size_t i = 0; i < m_pixels.size(); i += sizeof(T)) {
            T value;
            std::memcpy(&value, m_pixels.data() + i, sizeof(T));
            swapMany(&value, 1);
            std::memcpy(m_pixels.data() + i, &value, sizeof(T));
        }
    };
    switch (sizeBytes(m_directory.image.type)) {
        case 2:
            return swap(TIFFSwabArrayOfShort);
        case 4:
            return swap(TIFFSwabArrayOfLong);
        case 8:
            return swap(TIFFSwabArrayOfLong8);
        default:
            return;
    }
}

void RowReader::readStrips() {
    const Index rowBytes = m_directory.rowBytes();
    for (Index r = m_rows.begin; r < m_rows.end;) {
        const Index strip = r / m_directory.pieceRows;
        const Index begin = strip * m_directory.pieceRows;
        const Index end = std::min(begin + m_directory.pieceRows, m_rows.end);
        // Only rows up to the last requested one are unpacked.
        const Index bytes = (end - begin) * rowBytes;
        std::byte* target = begin < r ? scratch(bytes) : row(r);
        const tmsize_t got =
            TIFFReadEncodedStrip(m_handle.get(), static_cast<std::uint32_t>(strip), target, bytes);
        m_handle.check(got == bytes,
                       fmt::format("is damaged (strip {} cannot be unpacked)", strip));
        if (begin < r)
            std::memcpy(row(r), target + (r - begin) * rowBytes,
                        static_cast<std::size_t>((end - r) * rowBytes));
        r = end;
    }
}

void RowReader::readTiles() {
    const Index bytes = m_directory.pieceBytes();
    std::byte* const tile = scratch(bytes);
    for (Index down = m_rows.begin / m_directory.pieceRows;
         down * m_directory.pieceRows < m_rows.end; ++down) {
        for (Index across = 0; across < m_directory.piecesAcross; ++across) {
            const Index number = down * m_directory.piecesAcross + across;
            const tmsize_t got = TIFFReadEncodedTile(
                m_handle.get(), static_cast<std::uint32_t>(number), tile, bytes);
            m_handle.check(got == bytes,
                           fmt::format("is damaged (tile {} cannot be unpacked)", number));
            copyTile(tile, down * m_directory.pieceRows, across * m_directory.pieceColumns);
        }
    }
}

void RowReader::copyTile(const std::byte* tile, Index tileRow, Index tileColumn) {
    const Index begin = std::max(m_rows.begin, tileRow);
    const Index end = std::min(m_rows.end, tileRow + m_directory.pieceRows);
    const Index columns =
        std::min(m_directory.pieceColumns, m_directory.image.columns - tileColumn);
    const Index pixelBytes = sizeBytes(m_directory.image.type);
    for (Index r = begin; r < end; ++r)
        std::memcpy(row(r) + tileColumn * pixelBytes,
                    tile + (r - tileRow) * m_directory.pieceRowBytes(),
                    static_cast<std::size_t>(columns * pixelBytes));
}

// Smaller copies for quick display, and masks, are not images of the scan.
bool isExtra(tiff* handle) {
    std::uint32_t kind = 0;
    TIFFGetField(handle, TIFFTAG_SUBFILETYPE, &kind);
    return (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
}

}  // namespace

TiffReader::TiffReader(const std::filesystem::path& path)
    : m_handle(path, File::Mode::read, kReadMode) {}

TiffReader::TiffReader(const std::filesystem::path& path, const TiffImage& image)
    : m_handle(path, File::Mode::read, kReadMode, image.directoryOffset),
      m_directoryOffset(image.directoryOffset) {}

void TiffReader::goTo(std::uint64_t directoryOffset) {
    if (m_directoryOffset == directoryOffset && TIFFCurrentDirectory(m_handle.get()) == 0) return;
    m_handle = TiffHandle(m_handle.file().path(), File::Mode::read, kReadMode, directoryOffset);
    m_directoryOffset = directoryOffset;
}

std::vector<TiffImage> TiffReader::images() {
    std::vector<TiffImage> result;
    for (TiffImageOrFault& found : imagesOrFaults()) {
        if (found.fault) std::rethrow_exception(found.fault);
        result.push_back(std::move(found.image));
    }
    return result;
}

std::vector<TiffImageOrFault> TiffReader::imagesOrFaults() {
    goTo(0);
    std::vector<TiffImageOrFault> result;
    tiff* const handle = m_handle.get();
    for (std::size_t number = 1;; ++number) {
        const bool single = number == 1 && TIFFLastDirectory(handle) != 0;
        const std::string which = single ? "" : fmt::format("image {} ", number);
        if (number > kMaxImages)
            throw FileError(m_handle.file().path(),
                            fmt::format("has more than {} images; split it", kMaxImages));
        try {
            if (!isExtra(handle)) result.push_back({readTiffDirectory(m_handle, which).image});
        } catch (const InputError&) {
            result.push_back({{}, std::current_exception()});
        }
        if (TIFFLastDirectory(handle) != 0) break;
        try {
            m_handle.check(TIFFReadDirectory(handle) == 1,
                           fmt::format("image {} is damaged", number + 1));
        } catch (const InputError&) {
            result.push_back({{}, std::current_exception(), true});
            break;
        }
    }
    if (result.empty())
        throw FileError(m_handle.file().path(), "holds only reduced copies or masks, no image");
    return result;
}

std::string TiffReader::description() {
    goTo(0);
    const char* text = nullptr;
    return TIFFGetField(m_handle.get(), TIFFTAG_IMAGEDESCRIPTION, &text) == 1 && text ? text : "";
}

void TiffReader::readRows(const TiffImage& image, IndexRange rows, std::span<std::byte> pixels,
                          HostBuffer<std::byte>& scratch) {
    if (TIFFCurrentDirOffset(m_handle.get()) != image.directoryOffset) goTo(image.directoryOffset);
    const TiffDirectory directory = readTiffDirectory(m_handle, "");
    const TiffImage& found = directory.image;
    if (found.columns != image.columns || found.rows != image.rows || found.type != image.type ||
        found.storedBottomUp != image.storedBottomUp)
        throw FileError(m_handle.file().path(), "has changed since the scan was opened");
    require(rows.begin >= 0 && rows.begin <= rows.end && rows.end <= image.rows,
            "rows outside a TIFF image were asked for");
    require(static_cast<Index>(pixels.size()) == rows.size() * directory.rowBytes(),
            "the buffer for TIFF rows has another size");
    if (rows.empty()) return;
    const IndexRange stored =
        image.storedBottomUp ? IndexRange{image.rows - rows.end, image.rows - rows.begin} : rows;
    RowReader(m_handle, directory, stored, pixels, scratch).read();
    if (image.storedBottomUp) reverseRows(pixels, rows.size());
}

}  // namespace gantry
