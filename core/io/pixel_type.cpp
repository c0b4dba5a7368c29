#include "core/io/pixel_type.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/error.h"

namespace gantry {

Index sizeBytes(PixelType type) {
    switch (type) {
        case PixelType::uint8:
        case PixelType::int8:
            return 1;
        case PixelType::uint16:
        case PixelType::int16:
            return 2;
        case PixelType::uint32:
        case PixelType::int32:
        case PixelType::float32:
            return 4;
        case PixelType::float64:
            return 8;
    }
    throw InternalError("a pixel type has no size");
}

std::string_view name(PixelType type) {
    return kPixelTypeNames[static_cast<std::size_t>(type)];
}

bool isInteger(PixelType type) {
    return type != PixelType::float32 && type != PixelType::float64;
}

void swapBytes(std::span<std::byte> pixels, Index pixelBytes) {
    if (pixelBytes == 1) return;
    for (auto at = pixels.begin(); at < pixels.end(); at += pixelBytes)
        std::reverse(at, at + pixelBytes);
}

namespace {

template <class T>
void convert(std::span<const std::byte> pixels, std::span<float> out) {
    // Rows of a file's buffer need not be aligned for T.
    for (std::size_t i = 0; i < out.size(); ++i) {
        T value;
        std::memcpy(&value, pixels.data() + i * sizeof(T), sizeof(T));
        out[i] = static_cast<float>(value);
    }
}

}  // namespace

void toFloat(PixelType type, std::span<const std::byte> pixels, std::span<float> out) {
    require(std::ssize(pixels) == std::ssize(out) * sizeBytes(type),
            "the pixels to convert and their floats differ in number");
    switch (type) {
        case PixelType::uint8:
            return convert<std::uint8_t>(pixels, out);
        case PixelType::int8:
            return convert<std::int8_t>(pixels, out);
        case PixelType::uint16:
            return convert<std::uint16_t>(pixels, out);
        case PixelType::int16:
            return convert<std::int16_t>(pixels, out);
        case PixelType::uint32:
            return convert<std::uint32_t>(pixels, out);
        case PixelType::int32:
            return convert<std::int32_t>(pixels, out);
        case PixelType::float32:
            return convert<float>(pixels, out);
        case PixelType::float64:
            return convert<double>(pixels, out);
    }
}

namespace {

template <class T>
void store(std::span<const float> values, std::span<std::byte> pixels) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        T value;
        if constexpr (std::is_integral_v<T>) {
            using Limits = std::numeric_limits<T>;
            value = static_cast<T>(std::clamp(std::round(static_cast<double>(values[i])),
                                              static_cast<double>(Limits::min()),
                                              static_cast<double>(Limits::max())));
        } else {
            value = static_cast<T>(values[i]);
        }
        std::memcpy(pixels.data() + i * sizeof(T), &value, sizeof(T));
    }
}

}  // namespace

void fromFloat(PixelType type, std::span<const float> values, std::span<std::byte> pixels) {
    require(std::ssize(pixels) == std::ssize(values) * sizeBytes(type),
            "the floats to convert and their pixels differ in number");
    switch (type) {
        case PixelType::uint8:
            return store<std::uint8_t>(values, pixels);
        case PixelType::int8:
            return store<std::int8_t>(values, pixels);
        case PixelType::uint16:
            return store<std::uint16_t>(values, pixels);
        case PixelType::int16:
            return store<std::int16_t>(values, pixels);
        case PixelType::uint32:
            return store<std::uint32_t>(values, pixels);
        case PixelType::int32:
            return store<std::int32_t>(values, pixels);
        case PixelType::float32:
            return store<float>(values, pixels);
        case PixelType::float64:
            return store<double>(values, pixels);
    }
}

}  // namespace gantry
