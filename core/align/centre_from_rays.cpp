#include "core/align/centre_from_rays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/align/estimate.h"
#include "core/align/opposite_rays.h"

namespace gantry {

namespace {

// Fewer rays say nothing.
constexpr Index kFewestRays = 60;
// How many standard deviations of the mean square another place must be worse by.
constexpr double kClearlyWorse = 4;

struct Curve {
    std::vector<double> tried;
    std::vector<double> squares;
    std::vector<Index> rays;

    [[nodiscard]] std::size_t best() const {
        return static_cast<std::size_t>(
            std::distance(squares.begin(), std::min_element(squares.begin(), squares.end())));
    }
    // A place some steps from the best that is not clearly worse.
    [[nodiscard]] bool hasRival() const {
        const std::size_t at = best();
        // Neighbouring rays share pixels: a quarter of them counts as independent.
        const double deviation =
            squares[at] * std::sqrt(2 / (0.25 * static_cast<double>(rays[at])));
        const double limit = squares[at] + kClearlyWorse * deviation;
        for (std::size_t i = 0; i < tried.size(); ++i)
            if ((i + 4 < at || i > at + 4) && squares[i] < limit) return true;
        return false;
    }
};

Finding search(const ViewStack& stack, const MatricesAt& matricesAt, const Misalignment& about,
               double rangePx, CommonToViews common, int threads, const std::stop_token& stop) {
    const auto at = [&](double centrePx, double slantDeg = 0) {
        const Misalignment tried = {centrePx, about.rollDeg, about.tiltDeg,
                                    about.slantDeg + slantDeg};
        return oppositeRays(stack, stack.matrices(matricesAt(tried)), common, threads, stop);
    };
    const auto step = static_cast<double>(stack.binning[0]);
    const auto half = static_cast<Index>(std::ceil(rangePx / step));
    Finding finding;
    Curve curve;
    for (Index i = -half; i <= half; ++i) {
        const double centre = about.centrePx + static_cast<double>(i) * step;
        const Differences found = at(centre);
        const Index rays = found.count();
        if (rays < kFewestRays) continue;
        curve.tried.push_back(centre);
        curve.squares.push_back(found.meanSquare());
        curve.rays.push_back(rays);
        finding.tried.push_back(centre);
        finding.scores.push_back(std::sqrt(curve.squares.back()));
    }
    if (curve.tried.size() < 5) {
        finding.reason =
            "no rays were measured from both ends, as a full circle or the ends of a "
            "short scan have them";
        return finding;
    }
    const std::size_t best = curve.best();
    if (best < 2 || best + 2 >= curve.tried.size()) {
        finding.reason = fmt::format(
            "rays measured from both ends fit best at the end of the "
            "range of ±{:.0f} px that was searched",
            rangePx);
        return finding;
    }
    if (curve.hasRival()) {
        finding.reason = "rays measured from both ends fit several places equally well";
        return finding;
    }
    const Estimate estimate = leastContradiction([&](const Parameters& p) { return at(p[0]); },
                                                 {curve.tried[best]}, {step});
    if (!(estimate.uncertainties[0] < kLeastCertainPx) ||
        std::abs(estimate.values[0] - curve.tried[best]) > 3 * step) {
        finding.reason = "rays measured from both ends differ too little from place to place";
        return finding;
    }
    finding.isFound = true;
    finding.value = estimate.values[0];
    finding.uncertainty = estimate.uncertainties[0];
    // An axis beside the line from source to detector looks like a shifted detector with a little
    // slant. Where the fan is wide enough to tell, the slant does not spoil the centre.
    const Estimate wide = leastContradiction([&](const Parameters& p) { return at(p[0], p[1]); },
                                             {finding.value, 0}, {step, 0.5});
    if (wide.uncertainties[1] < kLeastCertainRollDeg) {
        finding.value = wide.values[0];
        finding.uncertainty = wide.uncertainties[0];
    }
    finding.reason = fmt::format("{} rays measured from both ends", estimate.count);
    return finding;
}

}  // namespace

Finding centreFromRays(const ViewStack& stack, const MatricesAt& matricesAt,
                       const Misalignment& about, double rangePx, int threads,
                       const std::stop_token& stop) {
    Finding found =
        search(stack, matricesAt, about, rangePx, CommonToViews::removed, threads, stop);
    if (found.isFound || found.tried.empty()) return found;
    Finding ofRound = search(stack, matricesAt, about, rangePx, CommonToViews::kept, threads, stop);
    return ofRound.isFound ? ofRound : found;
}

}  // namespace gantry
