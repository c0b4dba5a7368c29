#pragma once

#include <span>
#include <stop_token>

#include "core/align/finding.h"
#include "core/align/mirrored_views.h"

namespace gantry {

/// The centre of rotation of a parallel beam from views half a turn apart, which are each other's
/// mirror images about the axis: over half a turn too, where the first and the last view are.
/// stack: whole views, smoothed by kRaySmoothing; pairs: places in it
/// about: where to begin; only centrePx changes
/// rangePx: to either side of it, in pixels of the detector
/// @throws Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Finding centreFromPairs(const ViewStack& stack, std::span<const MirroredPair> pairs,
                                      const MatricesAt& matricesAt, const Misalignment& about,
                                      double rangePx, int threads, const std::stop_token& stop);

}  // namespace gantry
