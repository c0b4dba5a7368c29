#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// Mean dark and flat images of a detector, and what is known of its pixels.
struct DetectorCalibration {
    Index rows = 0;
    Index columns = 0;
    HostBuffer<float> dark;            ///< [v][u] counts
    HostBuffer<float> flat;            ///< [v][u] counts, dark not subtracted
    HostBuffer<unsigned char> bad;     ///< [v][u], 1: dead
    std::optional<double> saturation;  ///< counts
};

/// Mean of several frames, summed in double, one frame at a time. Values that are not finite are
/// left out of the mean; a pixel with no finite value is NaN, which makes it a dead one.
/// Tests: tests/core/prep/calibration_test.cpp
class FrameMean {
  public:
    explicit FrameMean(Index pixels);

    /// frame: [v][u]
    void add(std::span<const float> frame);
    /// @returns [v][u]
    [[nodiscard]] HostBuffer<float> image() const;

  private:
    std::vector<double> m_sum;
    std::vector<std::int32_t> m_count;  ///< of finite values
};

/// Marks pixels without net signal: flat − dark not finite, or not above the noise about 0. That is
/// 1/1000 of the median pixel, or as much as the darkest pixels are below 0, up to 1/100 of the
/// median. Makes the mask if there is none yet.
/// @returns how many pixels are bad in all
Index markDeadPixels(DetectorCalibration& calibration);

/// Marks pixels whose flat field is at least `level` counts, which tell nothing of the beam.
/// @returns how many these are
Index markSaturatedPixels(DetectorCalibration& calibration, double level);

/// The count at which a flat field in float is clearly cut off: its largest value, where it stands
/// in at least four pixels that touch another one of it, in at most half of all, and either is the
/// largest value of an integer type or detector or is far above all others.
[[nodiscard]] std::optional<double> clippedLevel(const DetectorCalibration& calibration);

/// Marks the pixels in which `mask` ([v][u]) is not 0, in addition to those already marked.
/// @returns how many pixels are bad in all
/// @throws InputError when the size of the mask differs from the detector's
Index mergeBadPixels(DetectorCalibration& calibration, std::span<const unsigned char> mask);

}  // namespace gantry
