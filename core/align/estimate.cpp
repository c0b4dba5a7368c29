#include "core/align/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/align/small_fit.h"

namespace gantry {

namespace {

constexpr int kMaxIterations = 12;

// The normal equations about a place: JᵀJ, Jᵀd, and the spread of Jᵀd by views.
struct Normal {
    Matrix square;
    Parameters right;
    Matrix spread;
};

Normal normalEquations(const Differences& here, const std::vector<Differences>& above,
                       const std::vector<Differences>& below, const Parameters& steps) {
    const std::size_t n = steps.size();
    Normal normal = {squareMatrix(n), Parameters(n), squareMatrix(n)};
    Index views = 0;
    for (const auto& pair : here.pairs)
        views = std::max({views, pair[0] + 1, pair[1] + 1});
    Matrix byView(static_cast<std::size_t>(views), Parameters(n));
    Parameters slope(n);
    for (std::size_t i = 0; i < here.values.size(); ++i) {
        bool isSeen = !std::isnan(here.values[i]);
        for (std::size_t p = 0; p < n && isSeen; ++p) {
            slope[p] = (above[p].values[i] - below[p].values[i]) / (2 * steps[p]);
            isSeen = !std::isnan(slope[p]);
        }
        if (!isSeen) continue;
        const auto& pair = here.pairs[i / static_cast<std::size_t>(here.perPair)];
        for (std::size_t p = 0; p < n; ++p) {
            const double share = slope[p] * here.values[i];
            normal.right[p] += share;
            for (const Index view : pair)
                byView[static_cast<std::size_t>(view)][p] += share;
            for (std::size_t q = 0; q < n; ++q)
                normal.square[p][q] += slope[p] * slope[q];
        }
    }
    for (const Parameters& g : byView)
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = 0; q < n; ++q)
                normal.spread[p][q] += g[p] * g[q];
    return normal;
}

}  // namespace

Estimate minContradiction(const DifferencesAt& differencesAt, const Parameters& start,
                          const Parameters& steps) {
    const std::size_t n = start.size();
    Estimate estimate;
    estimate.values = start;
    for (int iteration = 0; iteration < kMaxIterations && !estimate.isSettled; ++iteration) {
        const Differences here = differencesAt(estimate.values);
        estimate.meanSquare = here.meanSquare();
        estimate.count = here.count();
        estimate.uncertainties.assign(n, std::numeric_limits<double>::infinity());
        std::vector<Differences> above;
        std::vector<Differences> below;
        for (std::size_t p = 0; p < n; ++p) {
            Parameters moved = estimate.values;
            moved[p] = estimate.values[p] + steps[p];
            above.push_back(differencesAt(moved));
            moved[p] = estimate.values[p] - steps[p];
            below.push_back(differencesAt(moved));
        }
        const Normal normal = normalEquations(here, above, below, steps);
        const std::optional<Matrix> solved = inverse(normal.square);
        if (!solved) return estimate;
        estimate.isSettled = true;
        for (std::size_t p = 0; p < n; ++p) {
            double change = 0;
            double variance = 0;
            for (std::size_t q = 0; q < n; ++q) {
                change -= (*solved)[p][q] * normal.right[q];
                for (std::size_t r = 0; r < n; ++r)
                    variance += (*solved)[p][q] * normal.spread[q][r] * (*solved)[r][p];
            }
            estimate.uncertainties[p] = std::sqrt(variance);
            // Differences are nearly linear over a few steps alone.
            change = std::clamp(change, -4 * steps[p], 4 * steps[p]);
            estimate.values[p] += change;
            estimate.isSettled =
                estimate.isSettled &&
                std::abs(change) <= 0.1 * estimate.uncertainties[p] + 1e-3 * steps[p];
        }
    }
    return estimate;
}

}  // namespace gantry
