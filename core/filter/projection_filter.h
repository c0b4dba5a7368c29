#pragma once

#include <stop_token>

#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// Converts line integrals to filtered views: FDK and redundancy weights, then the windowed ramp
/// along u, with every constant of FDK folded in, so that a back-projector only adds (1/z)²·interp2
/// (resources/help/architecture.md).
class ProjectionFilter {
  public:
    virtual ~ProjectionFilter() = default;

    /// views: line integrals, in place; [s][v][u], u fastest, all columns of the detector.
    /// The first is view `firstView` of the scan, and row 0 is detector row `firstRow`.
    /// Not thread-safe; one instance per caller.
    /// @throws Cancelled
    virtual void apply(Span3<float> views, Index firstView, Index firstRow,
                       const std::stop_token& stop) = 0;
};

}  // namespace gantry
