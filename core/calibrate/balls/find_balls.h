#pragma once

#include <array>
#include <vector>

#include "core/base/span3.h"

namespace gantry {

/// The image of a small dense ball in one view.
struct BallImage {
    double u = 0;         ///< of the centroid, pixels
    double v = 0;         ///< likewise
    double radiusMm = 0;  ///< on the detector, as the spread about the centroid has it
    double strength = 0;  ///< how far a line integral through it exceeds what is about it
};

/// How the balls of a scan appear in its views.
struct BallModel {
    std::array<double, 2> pitchMm = {1, 1};  ///< of the detector
    double radiusMm = 0;                     ///< on the detector
    double strength = 0;                     ///< of a usual one
};

/// Balls of about that size in a view of line integrals: spots that are denser than what lies about
/// them on all sides, by at least a third of the usual strength and clearly more than the view's
/// noise. A plane fitted to a ring about each is taken off; the place is the centroid of what is
/// left, which lies farther out than the ball's centre: see centroidShift(). Balls that touch each
/// other or the view's edge are left out.
/// view: [1][v][u]. Several threads may call it.
/// Tests: tests/core/calibrate/find_balls_test.cpp
[[nodiscard]] std::vector<BallImage> findBalls(Span3<const float> view, const BallModel& model);

/// The model of the balls in some views, whatever their size: the one at which the fourth
/// strongest spot of a view is strongest. A radius of 0 where there are none.
/// radiusMm: on the detector, where it is known, else 0
/// Tests: tests/core/calibrate/find_balls_test.cpp
[[nodiscard]] BallModel fitBallModel(const std::vector<Span3<const float>>& views,
                                     std::array<double, 2> pitchMm, double radiusMm);

/// How much farther from the source's foot on the detector the centroid of a ball's line integrals
/// lies than its centre's image, as a share of that distance. `q` is the ball's radius over its
/// depth. To the first order: rays at angles a about the one through the centre have chord lengths
/// whose mean of a² is (q·cosα)²/5, and a flat detector shows them at f·tan(α + a), an area of
/// cos⁻³(α + a) to each.
/// Tests: tests/core/calibrate/find_balls_test.cpp
[[nodiscard]] constexpr double centroidShift(double q) {
    return 0.8 * q * q;
}

}  // namespace gantry
