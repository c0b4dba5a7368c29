#include <tiffio.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/io/tiff/tiff_file.h"

namespace gantry {

namespace {

// Small enough that a reader unpacks little for a few rows, large enough to compress well.
constexpr Index kPageStripBytes = Index{1} << 18;

const char* libtiffMode(TiffWriter::Mode mode) {
    switch (mode) {
        case TiffWriter::Mode::classic:
            return "w";
        case TiffWriter::Mode::big:
            return "w8";
    }
    throw InternalError("a way to open TIFF files is unknown");
}

int sampleFormat(PixelType type) {
    switch (type) {
        case PixelType::int8:
        case PixelType::int16:
        case PixelType::int32:
            return SAMPLEFORMAT_INT;
        case PixelType::float32:
        case PixelType::float64:
            return SAMPLEFORMAT_IEEEFP;
        default:
            return SAMPLEFORMAT_UINT;
    }
}

}  // namespace

TiffWriter::TiffWriter(const std::filesystem::path& path, Mode mode)
    : m_handle(path, File::Mode::create, libtiffMode(mode)) {}

void TiffWriter::writeTags(const TiffPage& page, Index rowsPerStrip) {
    tiff* const handle = m_handle.get();
    bool good = true;
    const auto set = [&](std::uint32_t tag, auto value) {
        good = TIFFSetField(handle, tag, value) == 1 && good;
    };
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(page.columns));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(page.rows));
    set(TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sizeBytes(page.type)));
    set(TIFFTAG_SAMPLESPERPIXEL, 1);
    set(TIFFTAG_SAMPLEFORMAT, sampleFormat(page.type));
    set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    set(TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rowsPerStrip));
    set(TIFFTAG_COMPRESSION, page.deflate ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
    if (page.deflate)
        set(TIFFTAG_PREDICTOR,
            isInteger(page.type) ? PREDICTOR_HORIZONTAL : PREDICTOR_FLOATINGPOINT);
    set(TIFFTAG_SOFTWARE, "Gantry");
    if (!page.description.empty()) set(TIFFTAG_IMAGEDESCRIPTION, page.description.c_str());
    if (page.pitchMm[0] > 0 && page.pitchMm[1] > 0) {
        set(TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
        set(TIFFTAG_XRESOLUTION, 10 / page.pitchMm[0]);
        set(TIFFTAG_YRESOLUTION, 10 / page.pitchMm[1]);
    }
    m_handle.check(good, "cannot be written");
}

void TiffWriter::write(const TiffPage& page, std::span<const std::byte> pixels) {
    require(page.columns > 0 && page.rows > 0, "an empty TIFF image was to be written");
    const Index rowBytes = page.columns * sizeBytes(page.type);
    require(std::ssize(pixels) == page.rows * rowBytes,
            "the pixels of a TIFF image have another size");
    const Index rowsPerStrip = std::clamp<Index>(kPageStripBytes / rowBytes, 1, page.rows);
    writeTags(page, rowsPerStrip);
    for (Index row = 0; row < page.rows; row += rowsPerStrip) {
        const Index bytes = std::min(rowsPerStrip, page.rows - row) * rowBytes;
        // libtiff only reads from it, but takes no const.
        void* const source = const_cast<std::byte*>(pixels.data() + row * rowBytes);
        const tmsize_t put = TIFFWriteEncodedStrip(
            m_handle.get(), static_cast<std::uint32_t>(row / rowsPerStrip), source, bytes);
        m_handle.check(put == bytes, "cannot be written");
    }
    m_handle.check(TIFFWriteDirectory(m_handle.get()) == 1, "cannot be written");
}

void TiffWriter::close() {
    m_handle.close();
}

}  // namespace gantry
