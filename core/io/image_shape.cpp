#include "core/io/image_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/throw_error.h"

namespace gantry {

void checkSameShape(const ImageShape& first, const std::string& firstName, const ImageShape& shape,
                    const std::string& name) {
    if (shape == first) return;
    const auto text = [](const ImageShape& s) {
        return fmt::format("{} × {} pixels of {}", s.columns, s.rows, gantry::name(s.type));
    };
    throwError<InputError>("{} has {}, but the first image, {}, has {}. All must be the same.",
                           name, text(shape), firstName, text(first));
}

std::string describe(PixelType type) {
    const bool isSigned =
        type == PixelType::int8 || type == PixelType::int16 || type == PixelType::int32;
    return fmt::format("{}-bit{}", 8 * sizeBytes(type),
                       !isInteger(type) ? " float"
                       : isSigned       ? " signed"
                                        : "");
}

IndexRange imageRows(IndexRange v, Index rows, bool firstRowIsTop) {
    return firstRowIsTop ? IndexRange{rows - v.end, rows - v.begin} : v;
}

void reverseRows(std::span<std::byte> pixels, Index rows) {
    if (rows < 2) return;
    const Index rowBytes = std::ssize(pixels) / rows;
    for (Index r = 0; r < rows / 2; ++r)
        std::swap_ranges(pixels.data() + r * rowBytes, pixels.data() + (r + 1) * rowBytes,
                         pixels.data() + (rows - 1 - r) * rowBytes);
}

void reverseColumns(std::span<std::byte> pixels, const ImageShape& shape) {
    const Index pixelBytes = sizeBytes(shape.type);
    const auto count = std::ssize(pixels) / pixelBytes;
    for (Index first = 0; first < count; first += shape.columns)
        for (Index u = 0; u < shape.columns / 2; ++u) {
            std::byte* const left = pixels.data() + (first + u) * pixelBytes;
            std::swap_ranges(left, left + pixelBytes,
                             pixels.data() + (first + shape.columns - 1 - u) * pixelBytes);
        }
}

void checkRequest(const ImageShape& shape, Index views, Index view, IndexRange rows,
                  std::span<const std::byte> pixels) {
    require(view >= 0 && view < views, "a view that the scan does not have was asked for");
    require(rows.begin >= 0 && rows.begin <= rows.end && rows.end <= shape.rows,
            "detector rows that the scan does not have were asked for");
    require(std::ssize(pixels) == rows.size() * shape.columns * sizeBytes(shape.type),
            "the buffer for detector rows has another size");
}

}  // namespace gantry
