#include "core/align/monotone_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gantry {

namespace {

// The slope at an end, from the first two pieces: their parabola's, unless that would overshoot.
double endSlope(double length0, double length1, double slope0, double slope1) {
    const double slope =
        ((2 * length0 + length1) * slope0 - length0 * slope1) / (length0 + length1);
    if (slope * slope0 <= 0) return 0;
    if (slope0 * slope1 <= 0 && std::abs(slope) > 3 * std::abs(slope0)) return 3 * slope0;
    return slope;
}

}  // namespace

MonotoneCurve::MonotoneCurve(std::vector<double> x, std::vector<double> y)
    : m_x(std::move(x)), m_y(std::move(y)), m_slopes(m_x.size()) {
    const std::size_t pieces = m_x.size() - 1;
    if (pieces == 0) return;
    std::vector<double> lengths;
    std::vector<double> slopes;
    for (std::size_t i = 0; i < pieces; ++i) {
        lengths.push_back(m_x[i + 1] - m_x[i]);
        slopes.push_back((m_y[i + 1] - m_y[i]) / lengths[i]);
    }
    if (pieces == 1) {
        m_slopes = {slopes[0], slopes[0]};
        return;
    }
    for (std::size_t i = 1; i < pieces; ++i) {
        const double before = slopes[i - 1];
        const double after = slopes[i];
        if (before * after <= 0) continue;
        const double weightBefore = lengths[i - 1] + 2 * lengths[i];
        const double weightAfter = 2 * lengths[i - 1] + lengths[i];
        m_slopes[i] = (weightBefore + weightAfter) / (weightBefore / before + weightAfter / after);
    }
    m_slopes.front() = endSlope(lengths[0], lengths[1], slopes[0], slopes[1]);
    m_slopes.back() =
        endSlope(lengths[pieces - 1], lengths[pieces - 2], slopes[pieces - 1], slopes[pieces - 2]);
}

double MonotoneCurve::at(double x) const {
    if (x <= m_x.front()) return m_y.front();
    if (x >= m_x.back()) return m_y.back();
    const auto i = static_cast<std::size_t>(std::ranges::upper_bound(m_x, x) - m_x.begin()) - 1;
    const double length = m_x[i + 1] - m_x[i];
    const double t = (x - m_x[i]) / length;
    const double s = 1 - t;
    return s * s * ((1 + 2 * t) * m_y[i] + t * length * m_slopes[i]) +
           t * t * ((1 + 2 * s) * m_y[i + 1] - s * length * m_slopes[i + 1]);
}

}  // namespace gantry
