#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/types.h"
#include "core/io/pixel_type.h"
#include "core/io/tiff/tiff_handle.h"
#include "core/io/tiff/tiff_statements.h"

namespace gantry {

/// One image of a TIFF file: a single channel of 8, 16, 32 or 64 bits.
struct TiffImage {
    Index columns = 0;
    Index rows = 0;
    PixelType type = PixelType::uint16;
    std::string compression;  ///< for people: "uncompressed", "deflate", "LZW", ...
    bool isCompressed = false;
    bool tiled = false;           ///< stored in tiles, not in strips of whole rows
    bool readsRowsAlone = false;  ///< a row range costs only its own bytes
    bool storedBottomUp = false;  ///< the orientation tag says so; readRows() resolves it
    /// The smallest value is white; readRows() turns whole numbers round, so that the largest is.
    bool isWhiteZero = false;
    bool isReadAsStored = false;        ///< readRows() leaves them even so, as those of a mask
    std::uint64_t directoryOffset = 0;  ///< where the file describes this image
    /// How far its pixels lie behind those of the image that the directory describes: images of
    /// a stack with one directory.
    Index bytesBehind = 0;

    /// Whether readRows() turns its numbers round.
    [[nodiscard]] bool isInverted() const {
        return isWhiteZero && !isReadAsStored && isInteger(type);
    }
};

/// An image of a file, or why it cannot be used; then `image` is meaningless.
struct TiffImageOrFault {
    TiffImage image;
    std::exception_ptr fault{};
    bool isListBroken = false;  ///< it represents all images from here on
};

/// Reads TIFF and BigTIFF files: strips or tiles, any byte order, compressed as libtiff can.
/// Whole numbers of a "minimum is white" file are inverted (0 becomes the largest of the type);
/// floating-point numbers, which have no largest, come as stored.
/// Not thread-safe; open one a thread (opening takes some 50 µs).
/// Tests: tests/core/io/tiff_source_test.cpp, tests/core/io/hostile_input_test.cpp
class TiffReader {
  public:
    /// @throws InputError  the file is missing, a folder, empty or no TIFF
    explicit TiffReader(const std::filesystem::path& path);
    /// The same, positioned at `image`, one of images(); other directories then cost nothing.
    TiffReader(const std::filesystem::path& path, const TiffImage& image);

    /// All images in the file's order, without reduced copies and masks. Each is checked: what it
    /// claims must fit the file's true size, so that a damaged header costs no memory. If a file
    /// has one directory whose description tells of more images (see statedStackImages()), those
    /// that lie uncompressed behind the first are images, too.
    /// @throws InputError  damaged, truncated, colour, or pixels of an unusual kind
    [[nodiscard]] std::vector<TiffImage> images();
    /// The same, each with its own fault. If the list of images itself breaks off, a last entry
    /// represents all that followed.
    /// @throws InputError  there is no image at all
    [[nodiscard]] std::vector<TiffImageOrFault> imagesOrFaults();

    /// The text that the first image carries as its description, as stored; empty: none.
    [[nodiscard]] std::string description();
    [[nodiscard]] TiffTags tags();

    /// Reads rows [rows.begin, rows.end) of one of images(), row 0 being the image's top.
    /// pixels: rows.size() · columns values of image.type, host byte order.
    /// Of compressed or tiled images only the strips or tiles that hold these rows are read.
    /// @throws InputError  truncated or damaged, or changed since images()
    /// @param scratch  becomes as large as one strip or tile where that is needed; keep it from
    ///                 call to call
    void readRows(const TiffImage& image, IndexRange rows, std::span<std::byte> pixels,
                  HostBuffer<std::byte>& scratch);

    [[nodiscard]] Index sizeBytes() const { return m_handle.file().sizeBytes(); }

  private:
    void goTo(std::uint64_t directoryOffset);
    void addStack(std::vector<TiffImageOrFault>& images);

    TiffHandle m_handle;
    // directory at which m_handle was opened; 0: the first image
    std::uint64_t m_directoryOffset = 0;
};

/// The format of an image to be written.
struct TiffPage {
    Index columns = 0;
    Index rows = 0;
    PixelType type = PixelType::uint16;
    std::array<double, 2> pitchMm = {0, 0};  ///< along columns, along rows; 0: not recorded
    std::string description;                 ///< empty: none
    bool deflate = false;
};

/// Writes a TIFF or BigTIFF file, one image after the other. Not thread-safe.
/// Tests: tests/core/io/tiff_source_test.cpp
class TiffWriter {
  public:
    enum class Mode {
        classic,  ///< a new file of up to 4 GB that every program reads
        big,      ///< a new BigTIFF
    };
    /// @throws InputError  the file cannot be written
    TiffWriter(const std::filesystem::path& path, Mode mode);

    /// Adds an image. pixels: rows · columns values of page.type, top row first.
    /// @throws ResourceError when the disk is full, InputError when it cannot be written
    void write(const TiffPage& page, std::span<const std::byte> pixels);
    /// Ends the file. The destructor does so too, but does not report errors.
    void close();

  private:
    void writeTags(const TiffPage& page, Index rowsPerStrip);

    TiffHandle m_handle;
};

}  // namespace gantry
