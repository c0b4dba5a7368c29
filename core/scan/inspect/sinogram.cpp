#include "core/scan/inspect/sinogram.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/base/median.h"

namespace gantry {

namespace {

constexpr Index kReferences = 90;

// A step beyond the ends, and what rounding adds to it.
constexpr double kReach = 1.02;

}  // namespace

class Sinogram::Sums {
  public:
    explicit Sums(Index columns) : m_isSeen(columns) {}

    void add(Index column, double here, double there, double noiseGain) {
        ++m_rays;
        m_isSeen[column] = 1;
        const double apart = here - there;
        m_squares += apart * apart;
        m_noiseGain += noiseGain;
        m_here += here;
        m_there += there;
        m_hereSquares += here * here;
        m_thereSquares += there * there;
    }
    void addColumn(double moving, double perStep) {
        m_moving += moving;
        m_perStep += perStep;
    }
    [[nodiscard]] RayAgreement result(double noise) const {
        RayAgreement all;
        all.rays = m_rays;
        if (m_rays == 0) return all;
        const auto count = static_cast<double>(m_rays);
        all.columns = std::count(m_isSeen.begin(), m_isSeen.end(), 1);
        all.noise = noise * m_noiseGain / count;
        // What is left cannot be told apart from the noise, whose size is an estimate.
        all.mismatch = std::max(m_squares / count - all.noise, 0.3 * noise);
        const auto varianceOf = [count](double sum, double squares) {
            return squares / count - (sum / count) * (sum / count);
        };
        all.variance = std::max(
            0.0,
            (varianceOf(m_here, m_hereSquares) + varianceOf(m_there, m_thereSquares)) / 2 - noise);
        all.moving = m_moving / count;
        all.perStep = m_perStep / count;
        return all;
    }

  private:
    std::vector<char> m_isSeen;
    Index m_rays = 0;
    double m_squares = 0, m_noiseGain = 0, m_moving = 0, m_perStep = 0;
    double m_here = 0, m_there = 0, m_hereSquares = 0, m_thereSquares = 0;
};

Sinogram::Sinogram(std::span<const double> anglesDeg, std::vector<float> values, Index binning,
                   double stepDeg)
    : m_columns(std::ssize(values) / std::max<Index>(1, std::ssize(anglesDeg))),
      m_binning(binning),
      m_reachDeg(kReach * stepDeg) {
    std::vector<Index> order(anglesDeg.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, {}, [&](Index view) { return anglesDeg[view]; });
    m_anglesDeg.reserve(order.size());
    m_values.reserve(values.size());
    for (const Index view : order) {
        m_anglesDeg.push_back(anglesDeg[view]);
        const auto first = values.begin() + view * m_columns;
        m_values.insert(m_values.end(), first, first + m_columns);
    }
    std::vector<double> steps;
    for (std::size_t i = 1; i < m_anglesDeg.size(); ++i)
        steps.push_back(m_anglesDeg[i] - m_anglesDeg[i - 1]);
    if (!steps.empty()) m_stepDeg = medianOf(std::move(steps));
    findNoise();
    findMotion();
}

// Noise bends the course of a pixel's value over the views at random; the object does so in few
// places.
void Sinogram::findNoise() {
    constexpr Index kSample = 20000;
    constexpr double kOfMedian = 1.4826;  // a normal distribution's deviation
    std::vector<double> bends;
    const Index count = std::max<Index>(0, views() - 2) * m_columns;
    const Index step = std::max<Index>(1, count / kSample) | 1;
    for (Index i = 0; i < count; i += step) {
        const auto before = static_cast<double>(m_values[i]);
        const auto here = static_cast<double>(m_values[i + m_columns]);
        const auto after = static_cast<double>(m_values[i + 2 * m_columns]);
        bends.push_back(std::abs(before - 2 * here + after));
    }
    if (bends.empty()) return;
    const double deviation = kOfMedian * medianOf(std::move(bends));
    m_noise = deviation * deviation / 6;
}

void Sinogram::findMotion() {
    m_columnMoving.assign(m_columns, 0);
    m_columnPerStep.assign(m_columns, 0);
    const auto count = static_cast<double>(views());
    for (Index u = 0; u < m_columns; ++u) {
        double sum = 0;
        double squares = 0;
        double steps = 0;
        for (Index view = 0; view < views(); ++view) {
            const auto value = static_cast<double>(row(view)[u]);
            sum += value;
            squares += value * value;
            if (view == 0) continue;
            const double step = value - static_cast<double>(row(view - 1)[u]);
            steps += step * step;
        }
        const double variance = squares / count - (sum / count) * (sum / count);
        m_columnMoving[u] = static_cast<float>(std::max(0.0, variance - m_noise));
        m_columnPerStep[u] =
            static_cast<float>(std::max(0.0, steps / std::max(1.0, count - 1) - 2 * m_noise));
        m_moving += static_cast<double>(m_columnMoving[u]) / static_cast<double>(m_columns);
    }
}

Sinogram Sinogram::binned(Index factor) const {
    const Index columns = m_columns / factor;
    std::vector<float> values(views() * columns);
    for (Index view = 0; view < views(); ++view)
        for (Index u = 0; u < columns; ++u) {
            float sum = 0;
            for (Index i = 0; i < factor; ++i)
                sum += row(view)[u * factor + i];
            values[view * columns + u] = sum / static_cast<float>(factor);
        }
    return {m_anglesDeg, std::move(values), m_binning * factor, m_reachDeg / kReach};
}

std::vector<Sinogram::Partner> Sinogram::conjugates(const RayAssumption& assumed) const {
    constexpr double kDeg = 180 / std::numbers::pi;
    const auto binning = static_cast<double>(m_binning);
    const double axis = (assumed.axisColumn - (binning - 1) / 2) / binning;
    std::vector<Partner> partners(m_columns);
    for (Index u = 0; u < m_columns; ++u) {
        const double across = static_cast<double>(u) - axis;
        const double fanDeg =
            assumed.columnsAway > 0 ? kDeg * std::atan(across * binning / assumed.columnsAway) : 0;
        Partner& partner = partners[u];
        partner.laterDeg = (180 - 2 * assumed.sense * fanDeg) / assumed.angleScale;
        const double column = axis - across;
        if (!(column >= 0) || !(column <= static_cast<double>(m_columns - 1))) continue;
        partner.column = std::min(static_cast<Index>(column), m_columns - 2);
        partner.share = static_cast<float>(column - static_cast<double>(partner.column));
    }
    return partners;
}

void Sinogram::compare(const std::vector<Partner>& partners, double turnDeg, bool goesRound,
                       Sums& sums) const {
    const double firstDeg = m_anglesDeg.front() - m_reachDeg;
    const double lastDeg = m_anglesDeg.back() + m_reachDeg;
    const double maxGapDeg = 3.1 * m_stepDeg;
    const Index every = std::max<Index>(1, views() / kReferences);
    Index before = 0;  // the view before the partner's angle
    for (Index view = 0; view < views(); view += every) {
        const float* here = row(view);
        for (Index u = 0; u < m_columns; ++u) {
            const Partner& partner = partners[u];
            if (partner.column < 0) continue;
            double angleDeg = m_anglesDeg[view] + partner.laterDeg;
            if (angleDeg > lastDeg && goesRound)
                angleDeg -= std::ceil((angleDeg - lastDeg) / turnDeg) * turnDeg;
            if (angleDeg < firstDeg || angleDeg > lastDeg) continue;
            if (angleDeg < m_anglesDeg[before] || angleDeg >= m_anglesDeg[before + 1]) {
                const auto after =
                    std::upper_bound(m_anglesDeg.begin(), m_anglesDeg.end(), angleDeg);
                before = std::clamp<Index>(after - m_anglesDeg.begin() - 1, 0, views() - 2);
            }
            const double gapDeg = m_anglesDeg[before + 1] - m_anglesDeg[before];
            if (!(gapDeg > 0) || gapDeg > maxGapDeg) continue;
            const auto later = static_cast<float>((angleDeg - m_anglesDeg[before]) / gapDeg);
            const float* there = row(before) + partner.column;
            const float right = partner.share;
            const float earlierValue = (1 - right) * there[0] + right * there[1];
            const float laterValue = (1 - right) * there[m_columns] + right * there[m_columns + 1];
            const float value = (1 - later) * earlierValue + later * laterValue;
            const float gain = 1 + ((1 - later) * (1 - later) + later * later) *
                                       ((1 - right) * (1 - right) + right * right);
            sums.add(u, static_cast<double>(here[u]), static_cast<double>(value),
                     static_cast<double>(gain));
            sums.addColumn(static_cast<double>(m_columnMoving[u]),
                           static_cast<double>(m_columnPerStep[u]));
        }
    }
}

RayAgreement Sinogram::agreement(const RayAssumption& assumed) const {
    Sums sums(m_columns);
    if (views() < 3 || m_columns < 2) return sums.result(m_noise);
    const double turnDeg = 360 / assumed.angleScale;
    compare(conjugates(assumed), turnDeg, true, sums);
    if (assumed.withTurns) {
        std::vector<Partner> same(m_columns);
        for (Index u = 0; u < m_columns; ++u) {
            const Index left = std::min(u, m_columns - 2);
            same[u] = {turnDeg, left, static_cast<float>(u - left)};
        }
        compare(same, turnDeg, false, sums);
    }
    return sums.result(m_noise);
}

}  // namespace gantry
