#pragma once

#include <vector>

namespace gantry {

// Functions of listed angles, one a view, in degrees.
// Tests: tests/core/geometry/scan_geometry_test.cpp, circular_fit_test.cpp

/// Listed angles with those beyond 0° counted on beyond 360°: 350, 355, 0, 5 becomes 350, 355, 360,
/// 365. This applies to a list within one turn whose widest gap, of more than three mean steps, is
/// inside the list; other lists are returned unchanged.
[[nodiscard]] std::vector<double> contiguousAngles(std::vector<double> anglesDeg);

/// Angles made continuous from view to view by steps of at most half a turn.
[[nodiscard]] std::vector<double> unwrappedAngles(const std::vector<double>& anglesDeg);

/// A list of a scan's views from angles in [0, 360): if the gantry turns one way through at most
/// two turns its continuous angles, otherwise contiguousAngles().
[[nodiscard]] std::vector<double> angleListOf(const std::vector<double>& anglesDeg);

/// The angle after which views see the same rays again.
enum class ClosedBy {
    wholeTurn,
    halfTurn,  ///< for parallel rays, which then coincide with the first ones; a whole turn closes
               ///< too
};

/// The angle that the views cover, counting each view's share: 360 or 180 if they close a turn (the
/// gap that they leave is under 1.5 mean steps; a half turn's last view may repeat its first),
/// otherwise their span plus one mean step; 0 for one view.
[[nodiscard]] double listedCoverageDeg(const std::vector<double>& anglesDeg, ClosedBy closed);

/// Each view's share in radians, by the trapezoid rule over sorted angles; 0 for one view.
[[nodiscard]] std::vector<double> listedSharesRad(const std::vector<double>& anglesDeg,
                                                  ClosedBy closed);

}  // namespace gantry
