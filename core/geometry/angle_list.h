#pragma once

#include <vector>

namespace gantry {

// Angles that are listed one a view, degrees.
// Tests: tests/core/geometry/scan_geometry_test.cpp, circular_fit_test.cpp

/// Listed angles that cross 0° counted on beyond 360°: 350, 355, 0, 5 becomes 350, 355, 360, 365.
/// That is where a list within one turn has, in its midst, its widest gap, of more than three mean
/// steps; any other list comes back as it is.
[[nodiscard]] std::vector<double> contiguousAngles(std::vector<double> anglesDeg);

/// Angles counted on from view to view in steps of at most half a turn.
[[nodiscard]] std::vector<double> unwrappedAngles(const std::vector<double>& anglesDeg);

/// Of angles in [0, 360) what a list of a scan's views says: the way of a gantry that turns one way
/// through at most two turns, else contiguousAngles().
[[nodiscard]] std::vector<double> angleListOf(const std::vector<double>& anglesDeg);

/// After what angle views see the same rays again.
enum class ClosedBy {
    wholeTurn,
    halfTurn,  ///< of parallel rays, which run back along the first ones; a whole turn closes too
};

/// The angle that the views cover, counting each view's share: 360 or 180 where they close a turn
/// (the gap that they leave is under 1.5 mean steps; a half turn's last view may repeat its first),
/// else their span plus one mean step; 0 of one view.
[[nodiscard]] double listedCoverageDeg(const std::vector<double>& anglesDeg, ClosedBy closed);

/// Each view's share in radians, by the trapezoid rule over sorted angles; 0 of one view.
[[nodiscard]] std::vector<double> listedSharesRad(const std::vector<double>& anglesDeg,
                                                  ClosedBy closed);

}  // namespace gantry
