#pragma once

#include <array>
#include <vector>

#include "core/base/span3.h"

namespace gantry {

/// A place that is brighter than what lies about it on all sides.
struct Spot {
    double u = 0;  ///< pixels, within about a quarter of the radius
    double v = 0;
    double strength = 0;  ///< mean over the middle, above the brightest of eight places about it
};

struct Spots {
    std::vector<Spot> places;  ///< the strongest first; no nearer to each other than a radius
    double noise = 0;          ///< standard deviation of the strengths of all places
};

/// Spots of about that radius. Edges and rods are none: they go on to one side.
/// view: [1][v][u]; radiusMm, pitchMm: on the detector
/// Tests: tests/core/calibrate/find_balls_test.cpp
[[nodiscard]] Spots brightSpots(Span3<const float> view, std::array<double, 2> pitchMm,
                                double radiusMm);

}  // namespace gantry
