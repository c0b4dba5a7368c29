#pragma once

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/prep/calibration.h"

namespace gantry {

/// The invalid pixels of a scan, whose counts had no usable logarithm. Each is counted once, under
/// the first that applies of bad, notFinite, saturated, zero and negative.
struct InvalidPixels {
    Index pixels = 0;     ///< that were checked
    Index zero = 0;       ///< I − dark = 0
    Index negative = 0;   ///< I − dark < 0
    Index saturated = 0;  ///< I at or above the saturation value
    Index notFinite = 0;  ///< NaN or Inf in the file
    Index bad = 0;        ///< listed or found dead (flat − dark ≤ 0), replaced by neighbours
    Index zingers = 0;    ///< replaced by the median around them after the −log (ZingerRemover)

    InvalidPixels& operator+=(const InvalidPixels& other);
    friend bool operator==(const InvalidPixels&, const InvalidPixels&) = default;
};

/// What is added to the line integrals of one view: the logarithm of how bright the beam was, as a
/// share of the flat image's, as a plane over the detector.
struct BeamOffset {
    float level = 0;   ///< in column 0 of row 0
    float alongU = 0;  ///< from one column to the next
    float alongV = 0;  ///< from one row to the next

    [[nodiscard]] double at(double column, double row) const {
        return level + alongU * column + alongV * row;
    }
    friend bool operator==(const BeamOffset&, const BeamOffset&) = default;
};

/// Converts counts of detector rows [firstRow, …) to line integrals −ln((I−dark)/(flat−dark)), in
/// place; never gives NaN or Inf. Invalid pixels (not positive, or not finite) take the mean of the
/// nearest good pixels to their left and right in the row, or the only one there is. In a row
/// without good pixels, they take the value of the smallest count that could be measured: one, or
/// 1/65536 of the open beam where that is below two counts. Saturated pixels are counted and kept.
/// Bad pixels are replaced like invalid ones; a row of bad pixels only is 0.
/// views: [s][v][u], all columns; the first one is view `firstView` of the trajectory, which counts
/// where dark and flat change over the scan
/// offset: added to the line integrals of every row that has a usable pixel
/// @returns the invalid pixels of these rows
/// Several threads may call it with different views.
/// Tests: tests/core/prep/line_integrals_test.cpp
InvalidPixels toLineIntegrals(const DetectorCalibration& calibration, Index firstRow,
                              Span3<float> views, Index firstView = 0,
                              const BeamOffset& offset = {});

/// For scans that contain attenuation already: replaces bad pixels and those that are not finite in
/// the same way; a row without any good pixel is 0. It uses only the size and the bad pixels of the
/// calibration, which may have none. offset: as above
InvalidPixels cleanAttenuation(const DetectorCalibration& calibration, Index firstRow,
                               Span3<float> views, const BeamOffset& offset = {});

}  // namespace gantry
