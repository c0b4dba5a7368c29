#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// Reads "air=0.0001,water=0.0205": the attenuation (1/mm) that becomes −1000 HU and the one that
/// becomes 0 HU. A number may stand for either word: "-1000=0.0001,350=0.028". Empty: values stay
/// attenuation.
/// @throws InputError with the field output.calibration
/// Tests: tests/core/io/calibration_test.cpp
[[nodiscard]] ValueScale readCalibration(const std::string& text);

/// A text that readCalibration() makes this scale of, to some digits less than it has.
[[nodiscard]] std::string calibrationText(const ValueScale& scale);

/// A value that an attenuation (1/mm) is known to stand for.
struct KnownValue {
    double attenuation = 0;
    double hounsfield = 0;
};
/// The scale that comes closest to them (least squares), exactly for two; nothing where they are
/// fewer than two different attenuations and values.
[[nodiscard]] std::optional<ValueScale> scaleThrough(std::span<const KnownValue> known);

/// "air", "water" or a number of HU. Nothing: neither
[[nodiscard]] std::optional<double> hounsfieldOf(std::string_view word);

/// "1/mm", or "HU SLOPE INTERCEPT", for headers that hold one word of text; and back: nothing if
/// it is neither.
[[nodiscard]] std::string scaleText(const ValueScale& scale);
[[nodiscard]] std::optional<ValueScale> scaleOf(std::string_view text);

/// An encoding whose numbers take as much room in text as any: a header that leaves so much room
/// can be told another scale without moving its voxels.
[[nodiscard]] VoxelEncoding longestEncoding(PixelType type);

}  // namespace gantry
