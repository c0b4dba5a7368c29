#include "core/geometry/views/angle_list.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/geometry/vec3.h"

namespace gantry {

namespace {

constexpr double kMaxPathDeg = 720;

// How listed angles are spread; at least two.
struct Spread {
    double lowest;
    double highest;
    double meanStep;
    double turnDeg;  // if the step from the last view to the first is an ordinary one, else 0
    [[nodiscard]] double span() const { return highest - lowest; }
};

Spread spreadOf(const std::vector<double>& angles, ClosedBy closed) {
    constexpr double kSame = 0.01;  // of a step: files round their angles
    const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
    const double span = *high - *low;
    const double step = span / static_cast<double>(angles.size() - 1);
    const auto closes = [&](double turn, double minGap) {
        return turn - span > minGap && turn - span < 1.5 * step;
    };
    if (closes(360, 0)) return {*low, *high, step, 360};
    const bool closesHalf = closed == ClosedBy::halfTurn && closes(180, -kSame * step);
    return {*low, *high, step, closesHalf ? 180.0 : 0.0};
}

bool isMonotonic(const std::vector<double>& angles) {
    return std::ranges::is_sorted(angles) || std::is_sorted(angles.rbegin(), angles.rend());
}

}  // namespace

std::vector<double> contiguousAngles(std::vector<double> anglesDeg) {
    if (anglesDeg.size() < 2) return anglesDeg;
    std::vector<double> sorted = anglesDeg;
    std::ranges::sort(sorted);
    const double outer = 360 - (sorted.back() - sorted.front());
    if (!(outer > 0)) return anglesDeg;  // a turn or more, or not numbers
    std::size_t widest = 1;
    for (std::size_t i = 2; i < sorted.size(); ++i)
        if (sorted[i] - sorted[i - 1] > sorted[widest] - sorted[widest - 1]) widest = i;
    const double gap = sorted[widest] - sorted[widest - 1];
    const double meanStep = (360 - gap) / static_cast<double>(sorted.size() - 1);
    if (gap <= 3 * meanStep || gap <= outer) return anglesDeg;
    for (double& angle : anglesDeg)
        if (angle < sorted[widest]) angle += 360;
    return anglesDeg;
}

std::vector<double> unwrappedAngles(const std::vector<double>& anglesDeg) {
    std::vector<double> result = anglesDeg;
    double turns = 0;
    for (std::size_t s = 1; s < anglesDeg.size(); ++s) {
        const double step = anglesDeg[s] - anglesDeg[s - 1];
        if (step > 180) turns -= 360;
        if (step <= -180) turns += 360;
        result[s] = anglesDeg[s] + turns;
    }
    return result;
}

std::vector<double> angleListOf(const std::vector<double>& anglesDeg) {
    // NaN cannot be ordered.
    const bool areNumbers =
        std::ranges::all_of(anglesDeg, [](double angle) { return std::isfinite(angle); });
    if (anglesDeg.empty() || !areNumbers) return anglesDeg;
    std::vector<double> path = unwrappedAngles(anglesDeg);
    const bool isPath = isMonotonic(path) && std::abs(path.back() - path.front()) <= kMaxPathDeg;
    return isPath ? path : contiguousAngles(anglesDeg);
}

double listedCoverageDeg(const std::vector<double>& anglesDeg, ClosedBy closed) {
    if (anglesDeg.size() < 2) return 0;
    const Spread spread = spreadOf(anglesDeg, closed);
    return spread.turnDeg > 0 ? spread.turnDeg : spread.span() + spread.meanStep;
}

std::vector<double> listedSharesRad(const std::vector<double>& anglesDeg, ClosedBy closed) {
    const std::size_t n = anglesDeg.size();
    std::vector<double> shares(n);
    if (n < 2) return shares;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order,
                      [&](std::size_t a, std::size_t b) { return anglesDeg[a] < anglesDeg[b]; });
    const Spread spread = spreadOf(anglesDeg, closed);
    const double outside = spread.turnDeg > 0 ? spread.turnDeg - spread.span() : spread.meanStep;
    for (std::size_t i = 0; i < n; ++i) {
        const double here = anglesDeg[order[i]];
        const double before = i > 0 ? here - anglesDeg[order[i - 1]] : outside;
        const double after = i + 1 < n ? anglesDeg[order[i + 1]] - here : outside;
        shares[order[i]] = radians((before + after) / 2);
    }
    return shares;
}

}  // namespace gantry
