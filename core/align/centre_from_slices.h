#pragma once

#include <functional>
#include <stop_token>

#include "core/align/finding.h"
#include "core/align/quick_slices.h"

namespace gantry {

/// The centre of rotation from where slices are sharpest: sought in slices at several heights, each
/// for itself. They have to agree, but for a roll, which moves it evenly from slice to slice; then
/// it is the centre of the height in the middle.
/// about: where to begin; only centrePx changes
/// rangePx: to either side of it, in pixels of the detector
/// @throws Cancelled, ResourceError
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding centreFromSlices(QuickSlices& slices, const MatricesAt& matricesAt,
                                       const Misalignment& about, double rangePx, double stepPx,
                                       const std::function<void(double)>& onProgress,
                                       const std::stop_token& stop);

}  // namespace gantry
