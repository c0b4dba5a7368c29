#include "core/io/tiff/tiff_directory.h"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/io/file_error.h"

namespace gantry {

namespace {

// A detector has fewer; keeps products of sizes far from overflow.
constexpr Index kMaxColumnsOrRows = 1'000'000;

struct Codec {
    int tag;
    const char* name;
    Index highestRatio;  // of decoded to stored bytes; more is a trap for the reader's memory
};

// Codecs of single-channel images. Deflate cannot exceed a ratio of 1032, LZW about 1400; the
// others store a constant image in next to nothing.
constexpr Codec kCodecs[] = {
    {COMPRESSION_NONE, "uncompressed", 1},        {COMPRESSION_LZW, "LZW", 2000},
    {COMPRESSION_ADOBE_DEFLATE, "deflate", 2000}, {COMPRESSION_DEFLATE, "deflate", 2000},
    {COMPRESSION_PACKBITS, "PackBits", 2000},     {COMPRESSION_JPEG, "JPEG", 2000},
    {COMPRESSION_LZMA, "LZMA", 50'000},           {COMPRESSION_ZSTD, "Zstandard", 50'000},
    {COMPRESSION_LERC, "LERC", 50'000},
};
// Below this size no ratio of compression is a danger.
constexpr Index kHarmlessBytes = Index{64} << 20;

// Reads the tags of one directory, checking each.
class DirectoryReader {
  public:
    DirectoryReader(const TiffHandle& handle, const std::string& which)
        : m_handle(handle), m_tiff(handle.get()), m_which(which) {}

    TiffDirectory read();

  private:
    template <class... Values>
    [[noreturn]] void fail(fmt::format_string<Values...> sentence, Values&&... values) const {
        throw FileError(m_handle.file().path(),
                        m_which + fmt::format(sentence, std::forward<Values>(values)...));
    }
    [[nodiscard]] std::uint16_t tag16(std::uint32_t tag, std::uint16_t fallback) const {
        std::uint16_t value = fallback;
        return TIFFGetFieldDefaulted(m_tiff, tag, &value) == 1 ? value : fallback;
    }
    [[nodiscard]] Index tag32(std::uint32_t tag) const {
        std::uint32_t value = 0;
        return TIFFGetFieldDefaulted(m_tiff, tag, &value) == 1 ? static_cast<Index>(value) : 0;
    }

    void readSize();
    void readPixelType();
    void readCodec();
    void readOrientation();
    void readPieces();
    void checkClaims() const;
    void checkPieces();

    const TiffHandle& m_handle;
    TIFF* m_tiff;
    const std::string& m_which;
    const Codec* m_codec = nullptr;
    TiffDirectory m_directory;
};

TiffDirectory DirectoryReader::read() {
    m_directory.image.directoryOffset = TIFFCurrentDirOffset(m_tiff);
    m_directory.foreignOrder = TIFFIsByteSwapped(m_tiff) != 0;
    readSize();
    readPixelType();
    readCodec();
    readOrientation();
    readPieces();
    checkClaims();
    checkPieces();
    return m_directory;
}

void DirectoryReader::readSize() {
    TiffImage& image = m_directory.image;
    image.columns = tag32(TIFFTAG_IMAGEWIDTH);
    image.rows = tag32(TIFFTAG_IMAGELENGTH);
    if (image.columns < 1 || image.rows < 1 || image.columns > kMaxColumnsOrRows ||
        image.rows > kMaxColumnsOrRows)
        fail("claims {} x {} pixels; 1 to {} are allowed each way", image.columns, image.rows,
             kMaxColumnsOrRows);
}

std::optional<PixelType> pixelTypeOf(int sampleFormat, int bits) {
    const bool isSigned = sampleFormat == SAMPLEFORMAT_INT;
    if (sampleFormat == SAMPLEFORMAT_IEEEFP) {
        if (bits == 32) return PixelType::float32;
        if (bits == 64) return PixelType::float64;
        return std::nullopt;
    }
    if (!isSigned && sampleFormat != SAMPLEFORMAT_UINT && sampleFormat != SAMPLEFORMAT_VOID)
        return std::nullopt;
    if (bits == 8) return isSigned ? PixelType::int8 : PixelType::uint8;
    if (bits == 16) return isSigned ? PixelType::int16 : PixelType::uint16;
    if (bits == 32) return isSigned ? PixelType::int32 : PixelType::uint32;
    return std::nullopt;
}

void DirectoryReader::readPixelType() {
    const int channels = tag16(TIFFTAG_SAMPLESPERPIXEL, 1);
    if (channels != 1)
        fail("has {} channels a pixel{}; one (grey) is allowed", channels,
             channels == 3 ? " (colour)" : "");
    std::uint16_t meaning = PHOTOMETRIC_MINISBLACK;
    TIFFGetField(m_tiff, TIFFTAG_PHOTOMETRIC, &meaning);
    if (meaning != PHOTOMETRIC_MINISBLACK && meaning != PHOTOMETRIC_MINISWHITE)
        fail("holds {}; grey values are allowed",
             meaning == PHOTOMETRIC_PALETTE
                 ? "indices into a colour palette"
                 : fmt::format("pixels of photometric kind {}", meaning));
    m_directory.image.isWhiteZero = meaning == PHOTOMETRIC_MINISWHITE;
    const int bits = tag16(TIFFTAG_BITSPERSAMPLE, 1);
    const int format = tag16(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    const std::optional<PixelType> type = pixelTypeOf(format, bits);
    if (!type)
        fail(
            "has {} bits a pixel in sample format {}; integers of 8, 16 or 32 bits and floats of "
            "32 or 64 are allowed",
            bits, format);
    m_directory.image.type = *type;
}

void DirectoryReader::readCodec() {
    const int tag = tag16(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    const auto* const found = std::ranges::find(kCodecs, tag, &Codec::tag);
    if (found == std::end(kCodecs) || !TIFFIsCODECConfigured(static_cast<std::uint16_t>(tag))) {
        const TIFFCodec* codec = TIFFFindCODEC(static_cast<std::uint16_t>(tag));
        fail(
            "is compressed by a method that cannot be read here ({}); store it with deflate or "
            "uncompressed",
            codec ? codec->name : fmt::format("number {}", tag));
    }
    m_codec = found;
    m_directory.image.compression = found->name;
    m_directory.image.isCompressed = tag != COMPRESSION_NONE;
}

void DirectoryReader::readOrientation() {
    const int orientation = tag16(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    // The standard has no 0, but some writers leave the tag empty.
    if (orientation != 0 && orientation != ORIENTATION_TOPLEFT &&
        orientation != ORIENTATION_BOTLEFT)
        fail(
            "is stored mirrored or rotated (orientation {}); 1 (first row at the top) and 4 (first "
            "row at the bottom) are allowed",
            orientation);
    m_directory.image.storedBottomUp = orientation == ORIENTATION_BOTLEFT;
}

void DirectoryReader::readPieces() {
    TiffImage& image = m_directory.image;
    image.tiled = TIFFIsTiled(m_tiff) != 0;
    const Index rowsPerStrip = tag32(TIFFTAG_ROWSPERSTRIP);
    m_directory.pieceColumns = image.tiled ? tag32(TIFFTAG_TILEWIDTH) : image.columns;
    m_directory.pieceRows =
        image.tiled ? tag32(TIFFTAG_TILELENGTH) : std::min(rowsPerStrip, image.rows);
    if (m_directory.pieceColumns < 1 || m_directory.pieceRows < 1)
        fail("claims {} of {} x {} pixels", image.tiled ? "tiles" : "strips",
             m_directory.pieceColumns, m_directory.pieceRows);
    m_directory.piecesAcross =
        (image.columns + m_directory.pieceColumns - 1) / m_directory.pieceColumns;
    m_directory.plainRows = !image.tiled && m_codec->tag == COMPRESSION_NONE &&
                            tag16(TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_MSB2LSB;
    image.readsRowsAlone = m_directory.plainRows || m_directory.pieceRows * 8 <= image.rows;
}

// Checks the claimed number and size of pieces before any is read.
void DirectoryReader::checkClaims() const {
    const TiffDirectory& d = m_directory;
    const Index file = m_handle.file().sizeBytes();
    const char* piece = d.image.tiled ? "tile" : "strip";
    // Tile sizes are unchecked so far: 2^32 x 2^32 x 8 bytes overflow.
    const auto pieceBytes =
        static_cast<double>(d.pieceRows) * static_cast<double>(d.pieceRowBytes());
    if (!d.plainRows && pieceBytes > static_cast<double>(TiffHandle::kMaxPieceBytes))
        fail("claims {}s of {} x {} pixels; one may hold at most {}", piece, d.pieceColumns,
             d.pieceRows, formatBytes(TiffHandle::kMaxPieceBytes));

    const Index pieces = d.piecesAcross * ((d.image.rows + d.pieceRows - 1) / d.pieceRows);
    const Index decoded = d.image.tiled ? pieces * d.pieceBytes() : d.image.rows * d.rowBytes();
    const Index max =
        m_codec->highestRatio == 1 ? file : std::max(kHarmlessBytes, m_codec->highestRatio * file);
    if (decoded > max || pieces > file)
        fail(
            "claims {} x {} pixels of {} ({}, {}), but the file has only {}; it is truncated or "
            "damaged",
            d.image.columns, d.image.rows, name(d.image.type), d.image.compression,
            formatBytes(decoded), formatBytes(file));
    const auto counted =
        static_cast<Index>(d.image.tiled ? TIFFNumberOfTiles(m_tiff) : TIFFNumberOfStrips(m_tiff));
    const auto sized =
        static_cast<Index>(d.image.tiled ? TIFFTileSize64(m_tiff) : TIFFStripSize64(m_tiff));
    if (counted != pieces || sized != d.pieceBytes())
        fail("has {}s of an unusual layout ({} of {} bytes; {} of {} were expected)", piece,
             counted, sized, pieces, d.pieceBytes());
}

// Checks that every piece lies in the file, and that none grows beyond its codec's best ratio.
void DirectoryReader::checkPieces() {
    TiffDirectory& d = m_directory;
    const Index file = m_handle.file().sizeBytes();
    const char* piece = d.image.tiled ? "tile" : "strip";
    const Index down = (d.image.rows + d.pieceRows - 1) / d.pieceRows;
    bool isOnePiece = d.plainRows;
    std::uint64_t end = 0;
    for (Index i = 0; i < d.piecesAcross * down; ++i) {
        int failed = 0;
        const auto number = static_cast<std::uint32_t>(i);
        const std::uint64_t offset = TIFFGetStrileOffsetWithErr(m_tiff, number, &failed);
        if (failed) m_handle.fail(m_which + "has a damaged list of strips or tiles");
        std::uint64_t stored = TIFFGetStrileByteCountWithErr(m_tiff, number, &failed);
        if (failed) m_handle.fail(m_which + "has a damaged list of strips or tiles");
        // Writers are careless with the sizes of uncompressed strips; the rows determine them
        // exactly.
        if (d.plainRows)
            stored = static_cast<std::uint64_t>(
                std::min(d.pieceRows, d.image.rows - i * d.pieceRows) * d.rowBytes());
        if (offset == 0 || stored == 0) fail("lacks {} {}", piece, i);
        const auto size = static_cast<std::uint64_t>(file);
        if (stored > size || offset > size - stored)
            fail("is truncated: {} {} takes {} bytes from byte {}, but the file ends after {}",
                 piece, i, stored, offset, file);
        if (i == 0) d.pixelsBegin = static_cast<Index>(offset);
        isOnePiece = isOnePiece && (i == 0 || offset == end);
        end = offset + stored;
        if (!d.plainRows && d.pieceBytes() > kHarmlessBytes &&
            d.pieceBytes() / m_codec->highestRatio > static_cast<Index>(stored))
            fail("claims that {} bytes of {} unpack to {}; it is damaged", stored,
                 d.image.compression, formatBytes(d.pieceBytes()));
    }
    if (!isOnePiece) d.pixelsBegin = -1;
}

}  // namespace

TiffDirectory readTiffDirectory(const TiffHandle& handle, const std::string& which) {
    return DirectoryReader(handle, which).read();
}

}  // namespace gantry
