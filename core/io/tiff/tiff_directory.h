#pragma once

#include <string>

#include "core/io/tiff/tiff_file.h"
#include "core/io/tiff/tiff_handle.h"

namespace gantry {

/// How a handle's current image is stored: in pieces (strips of whole rows, or tiles), left to
/// right, then top to bottom.
struct TiffDirectory {
    TiffImage image;
    Index pieceColumns = 0;
    Index pieceRows = 0;
    Index piecesAcross = 1;
    bool plainRows = false;     ///< uncompressed strips: rows lie in the file as they are used
    bool foreignOrder = false;  ///< the other byte order than this machine's
    /// Where the pixels begin, if they lie in one piece as they are used; otherwise -1.
    Index pixelsBegin = -1;

    [[nodiscard]] Index rowBytes() const { return image.columns * sizeBytes(image.type); }
    [[nodiscard]] Index pieceRowBytes() const { return pieceColumns * sizeBytes(image.type); }
    [[nodiscard]] Index pieceBytes() const { return pieceRows * pieceRowBytes(); }
};

/// Reads the handle's current image directory and checks that what it claims fits the file.
/// @param which  put before the fault in messages: "" or "image 3: "
/// @throws InputError  as TiffReader::images()
[[nodiscard]] TiffDirectory readTiffDirectory(const TiffHandle& handle, const std::string& which);

}  // namespace gantry
