#include "core/io/volume/voxel_encoding.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/base/error.h"

namespace gantry {

namespace {

template <class T>
void quantise(const VoxelEncoding& encoding, std::span<const float> attenuation,
              std::span<std::byte> voxels) {
    constexpr double kLargest = std::numeric_limits<T>::max();
    const double perStep = encoding.slope > 0 ? 1 / encoding.slope : 0;
    const ValueScale scale = encoding.scale;
    for (std::size_t i = 0; i < attenuation.size(); ++i) {
        const double scaled = scale.slope * static_cast<double>(attenuation[i]) + scale.intercept;
        const double steps = (scaled - encoding.intercept) * perStep;
        // In this order max() turns NaN into 0, which a cast to an integer would not survive.
        const double clipped = std::min(kLargest, std::max(0.0, steps));
        // The value is not negative, so that truncation rounds down; it goes through 32 bits, which
        // SIMD can convert to.
        const double raised = clipped + 0.5;
        const auto value = static_cast<T>(static_cast<std::int32_t>(raised));
        std::memcpy(voxels.data() + i * sizeof(T), &value, sizeof(T));
    }
}

void scaleTo(const ValueScale& scale, std::span<const float> attenuation,
             std::span<std::byte> voxels) {
    for (std::size_t i = 0; i < attenuation.size(); ++i) {
        const auto value =
            static_cast<float>(scale.slope * static_cast<double>(attenuation[i]) + scale.intercept);
        std::memcpy(voxels.data() + i * sizeof(float), &value, sizeof(float));
    }
}

}  // namespace

std::string_view name(ValueUnit unit) {
    return unit == ValueUnit::hounsfield ? "HU" : "1/mm";
}

VoxelEncoding encodingOf(PixelType type, std::array<double, 2> range) {
    require(type == PixelType::uint8 || type == PixelType::uint16,
            "only 8- and 16-bit voxels are scaled");
    const double largest = type == PixelType::uint8 ? 255 : 65535;
    return {type, (range[1] - range[0]) / largest, range[0]};
}

void encode(const VoxelEncoding& encoding, std::span<const float> attenuation,
            std::span<std::byte> voxels) {
    require(std::ssize(voxels) == std::ssize(attenuation) * sizeBytes(encoding.type),
            "the voxels to store and their bytes differ in number");
    switch (encoding.type) {
        case PixelType::float32:
            if (!encoding.isPlain()) return scaleTo(encoding.scale, attenuation, voxels);
            std::memcpy(voxels.data(), attenuation.data(), voxels.size());
            return;
        case PixelType::uint16:
            return quantise<std::uint16_t>(encoding, attenuation, voxels);
        case PixelType::uint8:
            return quantise<std::uint8_t>(encoding, attenuation, voxels);
        default:
            throw InternalError("voxels are stored as float32, uint16 or uint8 only");
    }
}

void decode(const VoxelEncoding& encoding, std::span<const std::byte> voxels,
            std::span<float> values) {
    toFloat(encoding.type, voxels, values);
    if (encoding.slope == 1 && encoding.intercept == 0) return;
    for (float& value : values)
        value =
            static_cast<float>(encoding.slope * static_cast<double>(value) + encoding.intercept);
}

void toAttenuation(const ValueScale& scale, std::span<float> values) {
    if (scale == ValueScale{}) return;
    for (float& value : values)
        value = static_cast<float>((static_cast<double>(value) - scale.intercept) / scale.slope);
}

}  // namespace gantry
