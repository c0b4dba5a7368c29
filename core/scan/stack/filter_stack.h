#pragma once

#include <stop_token>

#include "core/filter/filter_spec.h"
#include "core/filter/redundancy.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// A stack's views, ready for back-projection.
struct FilteredStack {
    RedundancyPlan redundancy;
    AlignedViews geometry;     ///< of the stack's views and pixels, padded
    HostBuffer<float> pixels;  ///< [s][v][u]; may be larger than the views

    [[nodiscard]] Span3<const float> span() const {
        return {pixels.data(), geometry.views, geometry.detector.rows, geometry.detector.columns};
    }
};

/// Rectifies, pads, weights and filters a stack as a job does its views, with up to that many
/// threads. declared: of the scan's views on the stack's detector, see binnedGeometry()
/// out: its memory is used again where it suffices
/// @throws InputError where the arc is too short for the geometry, or the axis misses the detector;
///         ResourceError, Cancelled
/// Tests: tests/core/live/live_slices_test.cpp
void filterStack(const ViewStack& stack, const ScanGeometry& declared, const FilterSpec& filter,
                 int threads, FilteredStack& out, const std::stop_token& stop);

}  // namespace gantry
