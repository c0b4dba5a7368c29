#include "core/align/centre_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/align/estimate.h"

namespace gantry {

namespace {

// Fewer rays say nothing.
constexpr Index kMinRays = 60;
// How many standard deviations of the mean square another place must be worse by.
constexpr double kClearlyWorse = 4;

struct Curve {
    std::vector<double> tried;
    std::vector<double> squares;
    std::vector<Index> rays;

    [[nodiscard]] std::size_t best() const {
        return static_cast<std::size_t>(
            std::distance(squares.begin(), std::ranges::min_element(squares)));
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

// The curve of the whole range.
Curve curveOver(const CentreWitness& witness, double aboutPx, double rangePx, double stepPx) {
    const auto half = static_cast<Index>(std::ceil(rangePx / stepPx));
    Curve curve;
    for (Index i = -half; i <= half; ++i) {
        const double centre = aboutPx + static_cast<double>(i) * stepPx;
        const Differences found = witness.differencesAt(centre);
        const Index rays = found.count();
        if (rays < kMinRays) continue;
        curve.tried.push_back(centre);
        curve.squares.push_back(found.meanSquare());
        curve.rays.push_back(rays);
    }
    return curve;
}

}  // namespace

Finding minContradictingCentre(const CentreWitness& witness, double aboutPx, double rangePx,
                               double stepPx) {
    const Curve curve = curveOver(witness, aboutPx, rangePx, stepPx);
    Finding finding;
    finding.tried = curve.tried;
    for (const double square : curve.squares)
        finding.scores.push_back(std::sqrt(square));
    const auto because = [&](std::string reason) {
        finding.reason = std::move(reason);
        return finding;
    };
    if (curve.tried.size() < 5) return because("no " + witness.name + witness.noneOf);
    const std::size_t best = curve.best();
    if (best < 2 || best + 2 >= curve.tried.size())
        return because(
            fmt::format("{} fit best at the end of the range of ±{:.0f} px that was searched",
                        witness.name, rangePx));
    if (curve.hasRival()) return because(witness.name + " fit several places equally well");
    const Estimate estimate =
        minContradiction([&](const Parameters& p) { return witness.differencesAt(p[0]); },
                         {curve.tried[best]}, {stepPx});
    if (!(estimate.uncertainties[0] < kMinCertainPx) ||
        std::abs(estimate.values[0] - curve.tried[best]) > 3 * stepPx)
        return because(witness.name + " differ too little from place to place");
    finding.isFound = true;
    finding.value = estimate.values[0];
    finding.uncertainty = estimate.uncertainties[0];
    return because(fmt::format("{} {}", estimate.count, witness.name));
}

}  // namespace gantry
