#pragma once

#include <array>
#include <vector>

#include "core/calibrate/balls/ball_model.h"

namespace gantry {

/// A length that is known of a phantom whose balls' places are not.
struct KnownLength {
    enum class Kind {
        betweenBalls,  ///< from centre to centre
        betweenRings,  ///< from the plane of the lowest ring to that of the topmost
        diameter,      ///< of the balls
    };
    Kind kind = Kind::betweenBalls;
    double mm = 0;
    std::array<Index, 2> balls = {0, 0};  ///< counted from 1, upwards; betweenBalls
};

/// The order in which balls are counted: upwards, and at one height by their angle about the axis.
[[nodiscard]] std::vector<std::size_t> countingOrder(const std::vector<Vec3>& centersMm);

/// A length as balls have it, with its derivatives by their places.
struct MeasuredLength {
    double mm = 0;
    std::vector<std::array<double, 3>> slopes;  ///< [ball]
    double relativeError = 0;                   ///< beside what the places' errors make of it
};
/// balls: in the order they are counted
/// @throws InputError naming the ball that is not there, or where the balls are no rings
/// Tests: tests/core/calibrate/ball_length_test.cpp
[[nodiscard]] MeasuredLength measureLength(const KnownLength& length, const Balls& balls);

}  // namespace gantry
