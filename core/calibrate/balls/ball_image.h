#pragma once

#include <optional>

#include "core/calibrate/balls/bright_spots.h"
#include "core/calibrate/balls/find_balls.h"

namespace gantry {

/// The ball at a spot, measured: what lies about it is taken off by a plane, and the centroid and
/// the spread of the rest are taken within a disc that follows the centroid. None where the disc
/// and the ring about it do not lie within the view, or where nothing is left.
/// view: [1][v][u]
/// Tests: tests/core/calibrate/find_balls_test.cpp
[[nodiscard]] std::optional<BallImage> imageOfBall(Span3<const float> view, const Spot& spot,
                                                   const BallModel& model);

}  // namespace gantry
