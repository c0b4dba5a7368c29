#include "core/align/estimate.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace gantry {

namespace {

constexpr int kMaxIterations = 12;

// The normal equations about a place: JᵀJ, Jᵀd, and what each view adds to Jᵀd.
struct Normal {
    Eigen::MatrixXd square;
    Eigen::VectorXd right;
    Eigen::MatrixXd byView;
};

Normal normalEquations(const Differences& here, const std::vector<Differences>& above,
                       const std::vector<Differences>& below, const Parameters& steps) {
    const auto n = std::ssize(steps);
    Index views = 0;
    for (const auto& pair : here.pairs)
        views = std::max({views, pair[0] + 1, pair[1] + 1});
    Normal normal = {Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n),
                     Eigen::MatrixXd::Zero(n, views)};
    Eigen::VectorXd slope(n);
    for (std::size_t i = 0; i < here.values.size(); ++i) {
        if (std::isnan(here.values[i])) continue;
        for (std::size_t p = 0; p < steps.size(); ++p)
            slope[static_cast<Index>(p)] =
                (above[p].values[i] - below[p].values[i]) / (2 * steps[p]);
        if (slope.hasNaN()) continue;
        normal.square += slope * slope.transpose();
        normal.right += here.values[i] * slope;
        for (const Index view : here.pairs[i / static_cast<std::size_t>(here.perPair)])
            normal.byView.col(view) += here.values[i] * slope;
    }
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
        const Eigen::LDLT<Eigen::MatrixXd> solved(normal.square);
        if (!(solved.vectorD().minCoeff() > 0)) return estimate;
        const Eigen::VectorXd step = solved.solve(normal.right);
        estimate.isSettled = true;
        for (std::size_t p = 0; p < n; ++p) {
            const auto row = static_cast<Index>(p);
            const Eigen::VectorXd share = solved.solve(Eigen::VectorXd::Unit(step.size(), row));
            estimate.uncertainties[p] = (normal.byView.transpose() * share).norm();
            // Differences are nearly linear over a few steps alone.
            const double change = std::clamp(-step[row], -4 * steps[p], 4 * steps[p]);
            estimate.values[p] += change;
            estimate.isSettled =
                estimate.isSettled &&
                std::abs(change) <= 0.1 * estimate.uncertainties[p] + 1e-3 * steps[p];
        }
    }
    return estimate;
}

}  // namespace gantry
