#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/io/pixel_type.h"

namespace gantry {

/// How attenuation is stored: attenuation (1/mm) = slope · voxel + intercept.
struct VoxelEncoding {
    PixelType type = PixelType::float32;
    double slope = 1;
    double intercept = 0;

    friend bool operator==(const VoxelEncoding&, const VoxelEncoding&) = default;
};

/// Maps attenuations from range[0] to range[1] to 0 to the largest value of uint8 or uint16. A
/// range of one value is stored as 0.
[[nodiscard]] VoxelEncoding encodingOf(PixelType type, std::array<double, 2> range);

/// Rounds to the nearest stored value; values outside the range take the nearest end, NaN the lower
/// one. Types: float32 (unchanged), uint16, uint8.
/// voxels: attenuation.size() values of encoding.type.
void encode(const VoxelEncoding& encoding, std::span<const float> attenuation,
            std::span<std::byte> voxels);

/// The inverse, from any type. voxels: native byte order.
void decode(const VoxelEncoding& encoding, std::span<const std::byte> voxels,
            std::span<float> attenuation);

}  // namespace gantry
