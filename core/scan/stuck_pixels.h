#pragma once

#include <string>

#include "core/io/projection_source.h"
#include "core/prep/calibration.h"

namespace gantry {

/// Marks pixels as bad that have one value in the flat field, at all its times, and in eight views
/// from the first to the last. Without noise all air is like that, so groups of such pixels count
/// only if they differ from the flat field around them, or lie between rows, between columns or
/// amid pixels that show that the scan has noise.
/// views: counts; calibration: its flat field is the mean of images, as stored
/// @returns a sentence on them; empty: there are none
/// @throws ResourceError
/// Tests: tests/core/scan/stuck_pixels_test.cpp
[[nodiscard]] std::string markStuckPixels(const ProjectionSource& views,
                                          DetectorCalibration& calibration);

}  // namespace gantry
