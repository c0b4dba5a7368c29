#pragma once

#include <tiffio.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/io/image_shape.h"
#include "core/io/projection_source.h"

/// Compares pixels without printing them all.
#define EXPECT_PIXELS_EQ(a, b) EXPECT_TRUE((a) == (b))
#define EXPECT_PIXELS_NE(a, b) EXPECT_FALSE((a) == (b))

namespace gantry::test {

using Bytes = std::vector<std::byte>;

inline Bytes randomBytes(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    Bytes bytes(count);
    for (std::byte& b : bytes)
        b = static_cast<std::byte>(random() & 0xff);
    return bytes;
}

/// Random pixels of a type: every bit pattern for integers, ordinary numbers for floats.
inline Bytes randomPixels(PixelType type, Index count, std::uint32_t seed) {
    const auto n = static_cast<std::size_t>(count);
    if (isInteger(type)) return randomBytes(n * static_cast<std::size_t>(sizeBytes(type)), seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 1000);
    Bytes bytes(n * static_cast<std::size_t>(sizeBytes(type)));
    for (std::size_t i = 0; i < n; ++i) {
        const double value = normal(random);
        const auto single = static_cast<float>(value);
        if (type == PixelType::float32) std::memcpy(&bytes[4 * i], &single, 4);
        if (type == PixelType::float64) std::memcpy(&bytes[8 * i], &value, 8);
    }
    return bytes;
}

inline void writeBytes(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    // Emptying a file that is there makes some file systems wait for the disk, a new one does not.
    std::filesystem::remove(path);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file) throw std::runtime_error("a test file cannot be written");
}

inline void writeText(const std::filesystem::path& path, const std::string& text) {
    writeBytes(path, std::as_bytes(std::span(text)));
}

inline Bytes readBytes(const std::filesystem::path& path) {
    Bytes bytes(std::filesystem::file_size(path));
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

/// A TIFF file as some other program may write it.
struct ForeignTiff {
    Index columns = 37;
    Index rows = 23;
    PixelType type = PixelType::uint16;
    const char* mode = "w";  ///< libtiff's: "wb" big-endian, "w8" BigTIFF, "a" one image more
    int compression = COMPRESSION_NONE;
    int predictor = 0;
    bool tiled = false;
    Index rowsPerStrip = 5;
    int orientation = 0;
    int photometric = PHOTOMETRIC_MINISBLACK;
    int fillOrder = 0;
    std::uint32_t subfileType = 0;
    std::string description;
    std::string software;
    double resolution = 0;  ///< pixels a unit, both ways
    int resolutionUnit = 0;
};

namespace foreign {

inline void setTags(TIFF* file, const ForeignTiff& spec) {
    const int format =
        isInteger(spec.type)
            ? (name(spec.type).starts_with("uint") ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_INT)
            : SAMPLEFORMAT_IEEEFP;
    TIFFSetField(file, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(spec.columns));
    TIFFSetField(file, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(spec.rows));
    TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sizeBytes(spec.type)));
    TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(file, TIFFTAG_SAMPLEFORMAT, format);
    TIFFSetField(file, TIFFTAG_PHOTOMETRIC, spec.photometric);
    TIFFSetField(file, TIFFTAG_COMPRESSION, spec.compression);
    if (spec.predictor) TIFFSetField(file, TIFFTAG_PREDICTOR, spec.predictor);
    if (spec.orientation) TIFFSetField(file, TIFFTAG_ORIENTATION, spec.orientation);
    if (spec.fillOrder) TIFFSetField(file, TIFFTAG_FILLORDER, spec.fillOrder);
    if (!spec.description.empty())
        TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, spec.description.c_str());
    if (!spec.software.empty()) TIFFSetField(file, TIFFTAG_SOFTWARE, spec.software.c_str());
    if (spec.resolution > 0) {
        TIFFSetField(file, TIFFTAG_XRESOLUTION, spec.resolution);
        TIFFSetField(file, TIFFTAG_YRESOLUTION, spec.resolution);
    }
    if (spec.resolutionUnit) TIFFSetField(file, TIFFTAG_RESOLUTIONUNIT, spec.resolutionUnit);
    if (spec.subfileType) TIFFSetField(file, TIFFTAG_SUBFILETYPE, spec.subfileType);
}

}  // namespace foreign

/// Tiles are 32 columns by 16 rows.
inline void writeTiff(const std::filesystem::path& path, const ForeignTiff& spec,
                      const Bytes& pixels) {
    if (spec.mode[0] == 'w') std::filesystem::remove(path);
    // The legacy Deflate tag is worth a warning to libtiff; here it is wanted.
    TIFFSetWarningHandler(nullptr);
    TIFF* file = TIFFOpen(path.c_str(), spec.mode);
    if (!file) throw std::runtime_error("a test TIFF cannot be opened");
    foreign::setTags(file, spec);
    const Index pixelBytes = sizeBytes(spec.type);
    const Index rowBytes = spec.columns * pixelBytes;
    bool good = true;
    if (spec.tiled) {
        TIFFSetField(file, TIFFTAG_TILEWIDTH, 32);
        TIFFSetField(file, TIFFTAG_TILELENGTH, 16);
        for (Index row = 0; row < spec.rows; row += 16)
            for (Index column = 0; column < spec.columns; column += 32) {
                Bytes tile(static_cast<std::size_t>(32 * 16 * pixelBytes), std::byte{0x5a});
                for (Index r = row; r < std::min(row + 16, spec.rows); ++r)
                    std::memcpy(tile.data() + (r - row) * 32 * pixelBytes,
                                pixels.data() + r * rowBytes + column * pixelBytes,
                                static_cast<std::size_t>(
                                    std::min<Index>(32, spec.columns - column) * pixelBytes));
                good = TIFFWriteTile(file, tile.data(), static_cast<std::uint32_t>(column),
                                     static_cast<std::uint32_t>(row), 0, 0) > 0 &&
                       good;
            }
    } else {
        TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(spec.rowsPerStrip));
        Bytes copy = pixels;
        for (Index row = 0; row < spec.rows; row += spec.rowsPerStrip)
            good = TIFFWriteEncodedStrip(file, static_cast<std::uint32_t>(row / spec.rowsPerStrip),
                                         copy.data() + row * rowBytes,
                                         std::min(spec.rowsPerStrip, spec.rows - row) * rowBytes) >
                       0 &&
                   good;
    }
    good = TIFFWriteDirectory(file) == 1 && good;
    TIFFClose(file);
    if (!good) throw std::runtime_error("a test TIFF cannot be written");
}

/// Rows [rows.begin, rows.end) of one image, `stored` top row first, in Gantry's order: v up.
inline Bytes detectorRows(const Bytes& stored, const ImageShape& shape, IndexRange rows,
                          bool firstRowIsTop = true) {
    const Index rowBytes = shape.columns * sizeBytes(shape.type);
    Bytes result;
    for (Index v = rows.begin; v < rows.end; ++v) {
        const Index line = firstRowIsTop ? shape.rows - 1 - v : v;
        const auto begin = stored.begin() + line * rowBytes;
        result.insert(result.end(), begin, begin + rowBytes);
    }
    return result;
}

/// The same rows, each with its columns the other way round.
inline Bytes mirroredRows(const Bytes& rows, const ImageShape& shape) {
    const auto pixelBytes = static_cast<std::size_t>(sizeBytes(shape.type));
    const auto columns = static_cast<std::size_t>(shape.columns);
    Bytes result(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t pixel = i / pixelBytes;
        const std::size_t u = pixel % columns;
        result[(pixel - u + columns - 1 - u) * pixelBytes + i % pixelBytes] = rows[i];
    }
    return result;
}

inline Bytes readView(const ProjectionSource& source, Index view, IndexRange rows) {
    const SourceInfo& info = source.info();
    Bytes pixels(static_cast<std::size_t>(rows.size() * info.columns * sizeBytes(info.pixelType)));
    source.readRows(view, rows, pixels);
    return pixels;
}

inline Bytes readView(const ProjectionSource& source, Index view) {
    return readView(source, view, {0, source.info().rows});
}

}  // namespace gantry::test
