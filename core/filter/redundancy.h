#pragma once

#include <string>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/views/aligned_views.h"

namespace gantry {

/// How rays that are measured twice share their weight.
enum class Redundancy {
    fullCircle,      ///< every ray twice: one half each
    shortScan,       ///< Parker/Silver weights
    offsetDetector,  ///< Wang weights over the overlap of a full circle
    halfCircle,      ///< parallel rays over half a turn or less: every ray once, weight 1
};

/// How a scan's rays are weighted in FDK, and why, for the log and `inspect`. Rays are identified
/// by how far across they pass the axis, see rayAcross().
struct RedundancyPlan {
    Redundancy kind = Redundancy::fullCircle;
    std::string reason;       ///< one sentence for the user
    double fanAngleDeg = 0;   ///< full opening that both sides of the axis share, the weights' fan;
                              ///< 0 for parallel rays
    double sharedAcross = 0;  ///< how far both sides of the axis are seen, in terms of rayAcross()
    bool isParallel = false;
    double neededArcDeg = 0;  ///< 180° + fan for a short scan, 360° for an offset detector
    double firstDeg = 0;      ///< smallest gantry angle
    double arcDeg = 0;        ///< the arc as weighted; whole turns where it is within one step
    double stepDeg = 0;       ///< mean step; a view stands for half a step to either side
    int longSide = 1;         ///< +1: an offset detector reaches farther towards larger u

    /// Columns without data to add before the first and after the last one of an offset detector,
    /// so that it reaches equally far on both sides of the axis. The filtered rows are not zero
    /// there, and the voxels that only the other side sees need them.
    Index padBefore = 0;
    Index padAfter = 0;
};

/// Decides from the scan as declared. A rolled, tilted or slanted detector counts as rectified, a
/// full circle stays one if some of its views are left out, and calibrated poses count as their
/// mean circle: the kind of weights is decided once for all views, and the weights follow each
/// view's own rays. An arc within half a step of 360° or longer is a full circle; surplus turns are
/// shared with smooth ramps. A full circle on which the axis' projection lies more than 5 % of the
/// columns off the detector's middle is an offset scan. A shorter arc is a short scan, also with an
/// offset detector: it needs only the fan that lies on both sides of the axis, and the arc may lack
/// one step of 180° + fan. Parallel rays have no fan: half a turn measures each once, the surplus
/// of a longer arc is shared as in a short scan, and a shorter arc lacks rays, about which
/// validate() warns.
/// @throws InputError when the arc is too short for the fan, naming the arc it would need, or when
///         the axis' projection misses the detector
/// Tests: tests/core/filter/redundancy_test.cpp
[[nodiscard]] RedundancyPlan planRedundancy(const ScanGeometry& declared);

/// Weight of a ray in the view at `angleDeg`, identified by how far across it passes the axis; the
/// weights of all measurements of a ray sum to 1.
[[nodiscard]] double redundancyWeightAt(const RedundancyPlan& plan, double angleDeg,
                                        double rayAcross);

/// How far across the ray through column u passes the rotation axis, positive towards larger u: for
/// a cone the angle at the source between the two, radians; for parallel rays the distance, mm.
/// Conjugate rays have opposite values.
[[nodiscard]] double rayAcross(const AlignedDetector& detector, double u);
/// The same on a view's own detector with `columns` columns, along its rows.
[[nodiscard]] double rayAcross(const ViewRays& rays, Index columns, double u);

/// The declared views, aligned, with the plan's columns added and without those numbered `leftOut`:
/// the geometry of filter and back-projection.
[[nodiscard]] AlignedViews alignedViews(const ScanGeometry& declared, const RedundancyPlan& plan,
                                        const std::vector<Index>& leftOut = {},
                                        FilterRows rows = FilterRows::upright);

/// Spreads rows that lie packed at the front of the same memory to padded rows; the new columns are
/// 0. view: [s][v][u] with the padded number of columns.
void padRowsInPlace(const RedundancyPlan& plan, Span3<float> view);

}  // namespace gantry
