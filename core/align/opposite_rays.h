#pragma once

#include <span>
#include <stop_token>

#include "core/align/differences.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

enum class CommonToViews { removed, kept };

/// Rays that two views have measured from opposite ends: the line through the two sources, where
/// both detectors see it. Its integral is the same from either end, whatever the object, the
/// trajectory and the arc, also where the object is larger than the detector.
/// common: what to do with what the rays of a column differ by in all views. It is the detector's,
/// as an error of its flat field; of an object that is round about the axis it is all there is.
/// Parallel rays: each column's ray against the mean of those of the two views that look the
/// nearest to the opposite way; none where there are none, as on half a turn. matrices: of the
/// stack's views, world mm to its pixels
/// @throws Cancelled
/// Tests: tests/core/align/consistency_test.cpp
[[nodiscard]] Differences oppositeRays(const ViewStack& stack,
                                       std::span<const ProjectionMatrix> matrices,
                                       CommonToViews common, int threads,
                                       const std::stop_token& stop = {});

}  // namespace gantry
