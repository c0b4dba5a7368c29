#pragma once

#include <span>

namespace gantry {

/// A straight line y = atZero + slope·x through points, with the standard deviations that their
/// scatter about it makes.
struct FittedLine {
    double atZero = 0;
    double slope = 0;
    double scatter = 0;  ///< of a point of mean weight
    double meanX = 0;
    double meanY = 0;  ///< of the line at meanX, its best known place
    double meanDeviation = 0;
    double slopeDeviation = 0;
};
/// weights: of the points, as one over their variances up to a factor; at least three points with a
/// weight; where all are at one x the slope is 0 and its deviation infinite
/// Tests: tests/core/align/consistency_test.cpp
[[nodiscard]] FittedLine fittedLine(std::span<const double> x, std::span<const double> y,
                                    std::span<const double> weights);

}  // namespace gantry
