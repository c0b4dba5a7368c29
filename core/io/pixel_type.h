#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/types.h"

namespace gantry {

/// How a file stores a pixel or voxel.
enum class PixelType { uint8, int8, uint16, int16, uint32, int32, float32, float64 };

inline constexpr std::string_view kPixelTypeNames[] = {"uint8",  "int8",  "uint16",  "int16",
                                                       "uint32", "int32", "float32", "float64"};

[[nodiscard]] Index sizeBytes(PixelType type);
[[nodiscard]] std::string_view name(PixelType type);  ///< "uint16", "float32", ...
[[nodiscard]] bool isInteger(PixelType type);

/// Reverses the bytes of each pixel. pixels: a whole number of pixels of so many bytes
void swapBytes(std::span<std::byte> pixels, Index pixelBytes);

/// Converts native pixels to float. pixels: `out.size()` values of `type`, host byte order.
void toFloat(PixelType type, std::span<const std::byte> pixels, std::span<float> out);
/// The other way round; integers take the nearest value that they can hold.
void fromFloat(PixelType type, std::span<const float> values, std::span<std::byte> pixels);

}  // namespace gantry
