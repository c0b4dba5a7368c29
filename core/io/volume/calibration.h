#pragma once

#include <optional>
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

/// "1/mm", or "HU SLOPE INTERCEPT", for headers that hold one word of text; and back: nothing if
/// it is neither.
[[nodiscard]] std::string scaleText(const ValueScale& scale);
[[nodiscard]] std::optional<ValueScale> scaleOf(std::string_view text);

}  // namespace gantry
