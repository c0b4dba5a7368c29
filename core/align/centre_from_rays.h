#pragma once

#include <stop_token>

#include "core/align/finding.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// The centre of rotation from rays that are measured from both ends: full circles, short scans
/// and offset detectors, whatever the object.
/// stack: all rows that the sources are seen on, smoothed by kRaySmoothing, as noise in the slopes
/// of views would pass for knowledge of the centre
/// about: where to begin; only centrePx changes
/// rangePx: to either side of it, in pixels of the detector
/// @throws Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding centreFromRays(const ViewStack& stack, const MatricesAt& matricesAt,
                                     const Misalignment& about, double rangePx, int threads,
                                     const std::stop_token& stop);
inline constexpr double kRaySmoothing = 2;  ///< pixels, standard deviation

}  // namespace gantry
