#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/span3.h"
#include "core/filter/row_extension.h"
#include "core/geometry/views/aligned_views.h"
#include "core/geometry/views/ray_cover.h"

namespace gantry {

/// How a scan's rays are weighted, in one word.
enum class Redundancy {
    fullCircle,      ///< every ray from both sides: about one half each
    shortScan,       ///< some rays from both sides
    offsetDetector,  ///< a turn, and a detector that reaches farther on one side of the axis
    halfCircle,      ///< parallel rays over half a turn or less: every ray once
};

/// How a scan's rays are weighted in FDK, and why, for the log and `inspect`.
struct RedundancyPlan {
    Redundancy kind = Redundancy::fullCircle;
    std::string reason;  ///< one sentence for the user
    double fanAngleDeg =
        0;  ///< full opening that both sides of the axis share; 0 for parallel rays
    double neededArcDeg = 0;  ///< 180° + fan, or 360° for an offset detector or a tilted axis
    RayCover cover;           ///< weighs rays, as if the detector had the columns of `extension`
    RowExtension extension;   ///< where the object passes the detector's edges

    /// Columns to add before the first and after the last one: without data on the nearer side of
    /// an offset detector, so that it reaches equally far on both sides of the axis, because the
    /// filtered rows are not zero there, and the voxels that only the other side sees need them;
    /// and those of the extension that are back-projected.
    Index padBefore = 0;
    Index padAfter = 0;

    /// Columns of the extension before and after these.
    [[nodiscard]] Index beyondBefore() const {
        return std::max<Index>(0, extension.before - padBefore);
    }
    [[nodiscard]] Index beyondAfter() const {
        return std::max<Index>(0, extension.after - padAfter);
    }
    /// Whether the other side of the turn completes the rows before the first column, or after the
    /// last one: beyond the nearer edge of an offset detector.
    [[nodiscard]] bool isCompletedBefore() const {
        return kind == Redundancy::offsetDetector && cover.reachBefore() < cover.reachAfter();
    }
    [[nodiscard]] bool isCompletedAfter() const {
        return kind == Redundancy::offsetDetector && cover.reachAfter() < cover.reachBefore();
    }
};

/// Decides from the scan as declared and from the views that are left out. Weights belong to the
/// rays that were measured, see RayCover; rays that are missing are a warning of validate().
/// extension: not on the side of an offset detector's nearer edge, which the other side of the turn
/// completes; there it is left out
/// @throws InputError when the arc is so short that nothing can be told along the rays, or when the
///         axis' projection misses the detector
/// Tests: tests/core/filter/redundancy_test.cpp
[[nodiscard]] RedundancyPlan planRedundancy(const ScanGeometry& declared,
                                            const std::vector<Index>& leftOut = {},
                                            const RowExtension& extension = {});

/// The declared views, aligned, with the plan's columns added and without those numbered `leftOut`,
/// for which it was made: the geometry of filter and back-projection.
[[nodiscard]] AlignedViews alignedViews(const ScanGeometry& declared, const RedundancyPlan& plan,
                                        const std::vector<Index>& leftOut = {},
                                        FilterRows rows = FilterRows::upright);

/// Spreads rows that lie packed at the front of the same memory to padded rows; the new columns are
/// 0. view: [s][v][u] with the padded number of columns.
void padRowsInPlace(const RedundancyPlan& plan, Span3<float> view);

}  // namespace gantry
