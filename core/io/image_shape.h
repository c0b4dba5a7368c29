#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/types.h"
#include "core/io/pixel_type.h"

namespace gantry {

/// The properties that all views of a scan share.
struct ImageShape {
    Index columns = 0;
    Index rows = 0;
    PixelType type = PixelType::uint16;

    friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// @throws InputError naming `name`, its shape and the first file's, when they differ
void checkSameShape(const ImageShape& first, const std::string& firstName, const ImageShape& shape,
                    const std::string& name);

/// "16-bit", "16-bit signed", "32-bit float".
[[nodiscard]] std::string describe(PixelType type);

/// The image rows, top first, that hold detector rows `v` (up), in the same or the reverse order.
[[nodiscard]] IndexRange imageRows(IndexRange v, Index rows, bool firstRowIsTop);

/// Reverses the order of `rows` rows. pixels: any whole number of bytes a row.
void reverseRows(std::span<std::byte> pixels, Index rows);

/// Reverses the order of the pixels of each row. pixels: whole rows
void reverseColumns(std::span<std::byte> pixels, const ImageShape& shape);

/// @throws InternalError when the view or rows are not there or the buffer has another size
void checkRequest(const ImageShape& shape, Index views, Index view, IndexRange rows,
                  std::span<const std::byte> pixels);

}  // namespace gantry
