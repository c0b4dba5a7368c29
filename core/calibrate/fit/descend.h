#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/median.h"
#include "core/calibrate/fit/split_fit.h"

namespace gantry {

/// Residuals beyond this many deviations count linearly instead of quadratically (Huber; 95 % of
/// the efficiency of least squares without outliers).
inline constexpr double kHuber = 1.345;

/// Residuals beyond this many deviations are no measurements of the ball.
inline constexpr double kOutlier = 5;

/// The standard deviation of a residual's u or v, from the median distance, which outliers do not
/// move. residuals: at least one, pixels
[[nodiscard]] inline double robustDeviation(const std::vector<std::array<double, 2>>& residuals) {
    constexpr double kMedianDistance = 1.1774;  // of two normal deviates
    constexpr double kMinPx = 1e-4;
    std::vector<double> sizes;
    sizes.reserve(residuals.size());
    for (const auto& [u, v] : residuals)
        sizes.push_back(std::hypot(u, v));
    return std::max(kMinPx, medianOf(std::move(sizes)) / kMedianDistance);
}

/// What a residual of that size costs, and the weight that its square has.
/// deviation: of a usual one
[[nodiscard]] inline double huberCost(double size, double deviation) {
    const double limit = kHuber * deviation;
    return size <= limit ? size * size : 2 * limit * size - limit * limit;
}
[[nodiscard]] inline double huberWeight(double size, double deviation) {
    const double limit = kHuber * deviation;
    return size <= limit ? 1 : limit / size;
}

/// Least squares by Levenberg and Marquardt: moves the state until its cost falls no more. Ceres is
/// not used for it, as Debian's links SuiteSparse, parts of which are under the GPL.
/// cost: of a state; fitAt: its normal equations; moved: the state after a step
/// Tests: tests/core/calibrate/circle_bundle_test.cpp
template <class State, class Cost, class FitAt, class Moved>
void descend(State& state, const Cost& cost, const FitAt& fitAt, const Moved& moved) {
    constexpr int kMaxSteps = 60;
    constexpr double kSettled = 1e-9;
    constexpr double kMaxDamping = 1e8;
    double damping = 1e-3;
    double now = cost(state);
    for (int i = 0; i < kMaxSteps; ++i) {
        const SplitFit fit = fitAt(state);
        bool isBetter = false;
        double gain = 0;
        while (!isBetter && damping < kMaxDamping) {
            if (const auto step = fit.solve(damping)) {
                State next = moved(state, *step);
                const double then = cost(next);
                isBetter = then < now;
                if (isBetter) {
                    gain = (now - then) / now;
                    state = std::move(next);
                    now = then;
                }
            }
            damping = isBetter ? std::max(damping / 10, 1e-9) : damping * 10;
        }
        if (!isBetter || gain < kSettled) return;
    }
}

}  // namespace gantry
