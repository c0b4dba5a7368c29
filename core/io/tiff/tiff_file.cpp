#include "core/io/tiff/tiff_file.h"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/throw_error.h"
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
    RowReader(const TiffHandle& handle, const TiffDirectory& directory, Index bytesBehind,
              IndexRange rows, std::span<std::byte> pixels, HostBuffer<std::byte>& scratch)
        : m_handle(handle),
          m_directory(directory),
          m_bytesBehind(bytesBehind),
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
    Index m_bytesBehind;
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
        const Index stripBegin =
            m_bytesBehind + static_cast<Index>(TIFFGetStrileOffset(
                                m_handle.get(), static_cast<std::uint32_t>(strip)));
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
    const bool isLone = TIFFLastDirectory(handle) != 0;
    for (std::size_t number = 0;; ++number) {
        const bool single = number == 0 && TIFFLastDirectory(handle) != 0;
        const std::string which = single ? "" : fmt::format("image {} ", number);
        if (number >= kMaxImages)
            throwErrorOf<FileError>(m_handle.file().path(), "has more than {} images; split it",
                                    kMaxImages);
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
    if (isLone && !result.front().fault) addStack(result);
    return result;
}

// Adds the images behind the first and only one that has a directory, as far as the file reaches.
void TiffReader::addStack(std::vector<TiffImageOrFault>& images) {
    goTo(0);
    const TiffImage first = images.front().image;
    const Index stated = statedStackImages(description(), first.rows, first.columns);
    if (stated < 2) return;
    const TiffDirectory directory = readTiffDirectory(m_handle, "");
    if (directory.pixelsBegin < 0) return;
    const Index imageBytes = first.rows * directory.rowBytes();
    const Index present = (sizeBytes() - directory.pixelsBegin) / imageBytes;
    if (present < 2) return;  // one image of a stack that kept the stack's description
    if (stated > static_cast<Index>(kMaxImages))
        throwErrorOf<FileError>(m_handle.file().path(), "has more than {} images; split it",
                                kMaxImages);
    for (Index i = 1; i < std::min(stated, present); ++i) {
        TiffImageOrFault next;
        next.image = first;
        next.image.bytesBehind = i * imageBytes;
        images.push_back(std::move(next));
    }
    if (present >= stated) return;
    const FileError fault(
        m_handle.file().path(),
        fmt::format("is truncated: it should have {} images and ends after {}", stated, present));
    TiffImageOrFault rest;
    rest.fault = std::make_exception_ptr(fault);
    rest.isListBroken = true;
    images.push_back(std::move(rest));
}

std::string TiffReader::description() {
    goTo(0);
    const char* text = nullptr;
    return TIFFGetField(m_handle.get(), TIFFTAG_IMAGEDESCRIPTION, &text) == 1 && text ? text : "";
}

TiffTags TiffReader::tags() {
    TiffTags tags;
    tags.description = description();
    tiff* const handle = m_handle.get();
    const auto text = [&](std::uint32_t tag) -> std::string {
        const char* value = nullptr;
        return TIFFGetField(handle, tag, &value) == 1 && value ? value : "";
    };
    tags.software = text(TIFFTAG_SOFTWARE);
    tags.maker = text(TIFFTAG_MAKE);
    tags.model = text(TIFFTAG_MODEL);
    constexpr std::uint32_t kResolution[] = {TIFFTAG_XRESOLUTION, TIFFTAG_YRESOLUTION};
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        float value = 0;
        if (TIFFGetField(handle, kResolution[axis], &value) == 1 && std::isfinite(value))
            tags.resolution[axis] = static_cast<double>(value);
    }
    std::uint16_t unit = RESUNIT_NONE;
    TIFFGetFieldDefaulted(handle, TIFFTAG_RESOLUTIONUNIT, &unit);
    tags.unitMm = unit == RESUNIT_INCH ? 25.4 : unit == RESUNIT_CENTIMETER ? 10 : 0;
    std::uint16_t meaning = PHOTOMETRIC_MINISBLACK;
    TIFFGetField(handle, TIFFTAG_PHOTOMETRIC, &meaning);
    tags.isWhiteZero = meaning == PHOTOMETRIC_MINISWHITE;
    return tags;
}

void TiffReader::readRows(const TiffImage& image, IndexRange rows, std::span<std::byte> pixels,
                          HostBuffer<std::byte>& scratch) {
    if (TIFFCurrentDirOffset(m_handle.get()) != image.directoryOffset) goTo(image.directoryOffset);
    const TiffDirectory directory = readTiffDirectory(m_handle, "");
    const TiffImage& found = directory.image;
    if (found.columns != image.columns || found.rows != image.rows || found.type != image.type ||
        found.storedBottomUp != image.storedBottomUp || found.isWhiteZero != image.isWhiteZero ||
        (image.bytesBehind > 0 && directory.pixelsBegin < 0))
        throw FileError(m_handle.file().path(), "has changed since the scan was opened");
    require(rows.begin >= 0 && rows.begin <= rows.end && rows.end <= image.rows,
            "rows outside a TIFF image were asked for");
    require(std::ssize(pixels) == rows.size() * directory.rowBytes(),
            "the buffer for TIFF rows has another size");
    if (rows.empty()) return;
    const IndexRange stored =
        image.storedBottomUp ? IndexRange{image.rows - rows.end, image.rows - rows.begin} : rows;
    RowReader(m_handle, directory, image.bytesBehind, stored, pixels, scratch).read();
    if (image.storedBottomUp) reverseRows(pixels, rows.size());
    // All bits turned round are the largest value less this one, signed (with the smallest) or not.
    if (image.isInverted())
        for (std::byte& bits : pixels)
            bits = ~bits;
}

}  // namespace gantry
