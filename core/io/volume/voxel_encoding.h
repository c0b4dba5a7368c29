#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/io/pixel_type.h"

namespace gantry {

/// What a volume's values are.
enum class ValueUnit { perMm, hounsfield };

/// "1/mm", "HU"
[[nodiscard]] std::string_view name(ValueUnit unit);

/// How a volume's values come from attenuation (1/mm): value = slope · attenuation + intercept.
/// Tests: tests/core/io/calibration_test.cpp
struct ValueScale {
    double slope = 1;
    double intercept = 0;
    ValueUnit unit = ValueUnit::perMm;

    friend bool operator==(const ValueScale&, const ValueScale&) = default;
};

/// How a volume's values are stored: value = slope · voxel + intercept.
struct VoxelEncoding {
    PixelType type = PixelType::float32;
    double slope = 1;
    double intercept = 0;
    ValueScale scale = {};

    /// Whether voxels are the attenuation itself, as 32-bit floats.
    [[nodiscard]] bool isPlain() const {
        return type == PixelType::float32 && scale == ValueScale{};
    }

    friend bool operator==(const VoxelEncoding&, const VoxelEncoding&) = default;
};

/// Maps values from range[0] to range[1] to 0 to the largest value of uint8 or uint16. A
/// range of one value is stored as 0.
[[nodiscard]] VoxelEncoding encodingOf(PixelType type, std::array<double, 2> range);

/// Makes values of attenuation, and rounds them to the nearest stored value; values outside the
/// range take the nearest end, NaN the lower one. Types: float32 (unchanged), uint16, uint8.
/// voxels: attenuation.size() values of encoding.type.
void encode(const VoxelEncoding& encoding, std::span<const float> attenuation,
            std::span<std::byte> voxels);

/// Gives the values back, in the scale's unit, from any type. voxels: native byte order.
void decode(const VoxelEncoding& encoding, std::span<const std::byte> voxels,
            std::span<float> values);

/// Makes attenuation of values.
void toAttenuation(const ValueScale& scale, std::span<float> values);

}  // namespace gantry
