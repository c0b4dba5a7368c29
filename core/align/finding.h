#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/geometry/views/projection_matrix.h"

namespace gantry {

/// The difference between the detector's position and the scan's geometry.
struct Misalignment {
    double centrePx = 0;  ///< the rotation axis is seen so many pixels farther towards larger u
    double rollDeg = 0;   ///< to be added to the detector's roll
    double tiltDeg = 0;   ///< and to its tilt
    double slantDeg = 0;  ///< and to its slant
};

/// The matrices of all views of a scan, world mm to pixels, with such a misalignment. The finders
/// need nothing else about a trajectory.
using MatricesAt = std::function<std::vector<ProjectionMatrix>(const Misalignment&)>;

/// The result of the search for one number.
struct Finding {
    bool isFound = false;
    double value = 0;        ///< the change, in px or degrees
    double uncertainty = 0;  ///< standard deviation, in the same unit; of no meaning if not found
    /// Whether the change is more than its uncertainty makes of none.
    [[nodiscard]] bool isSignificant() const {
        return isFound && std::abs(value) > 2 * uncertainty;
    }
    std::string reason;  ///< how it was found, or why the views cannot tell: one sentence
    /// The values that were tried, upwards, and how badly views contradict each other there, or
    /// how blurred slices are: the smaller the better. Empty where nothing could be tried.
    std::vector<double> tried;
    std::vector<double> scores;
};

/// Standard deviations above which a number counts as not found.
inline constexpr double kMinCertainPx = 0.5;
inline constexpr double kMinCertainRollDeg = 0.1;
inline constexpr double kMinCertainTiltDeg = 0.3;

}  // namespace gantry
