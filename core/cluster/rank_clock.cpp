#include "core/cluster/rank_clock.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

constexpr std::size_t kMaxLooks = 64;
// Clocks of computers differ by less: a steeper line comes from answers that took long.
constexpr double kMaxDrift = 1e-3;

}  // namespace

void RankClock::add(const Answer& answer) {
    const std::int64_t took = answer.heardNs - answer.askedNs;
    if (took < 0) return;
    const std::int64_t middle = answer.askedNs + took / 2;
    const Look look = {middle, answer.firstNs - middle, took / 2};
    const std::scoped_lock lock(m_mutex);
    const bool isSoon = !m_looks.empty() && middle - m_looks.back().ownNs < m_whileNs;
    if (!isSoon)
        m_looks.push_back(look);
    else if (look.errorNs < m_looks.back().errorNs)
        m_looks.back() = look;
    if (m_looks.size() > kMaxLooks) thinOut();
    fit();
}

// Keeps the quicker one of each two, so that a run of any length has a few.
void RankClock::thinOut() {
    m_whileNs *= 2;
    std::vector<Look> kept;
    for (std::size_t i = 0; i + 1 < m_looks.size(); i += 2)
        kept.push_back(m_looks[i].errorNs <= m_looks[i + 1].errorNs ? m_looks[i] : m_looks[i + 1]);
    if (m_looks.size() % 2 == 1) kept.push_back(m_looks.back());
    m_looks = std::move(kept);
}

// Fits a line by least squares, in which quick answers have more weight.
void RankClock::fit() {
    const Look& base =
        *std::min_element(m_looks.begin(), m_looks.end(),
                          [](const Look& a, const Look& b) { return a.errorNs < b.errorNs; });
    double weights = 0;
    double times = 0;
    double aheads = 0;
    const auto each = [&](const auto& take) {
        for (const Look& look : m_looks) {
            const double error = static_cast<double>(look.errorNs) + 1e3;
            take(1 / (error * error), static_cast<double>(look.ownNs - base.ownNs),
                 static_cast<double>(look.aheadNs - base.aheadNs));
        }
    };
    each([&](double weight, double time, double ahead) {
        weights += weight;
        times += weight * time;
        aheads += weight * ahead;
    });
    const double time0 = times / weights;
    const double ahead0 = aheads / weights;
    double spread = 0;
    double slope = 0;
    each([&](double weight, double time, double ahead) {
        spread += weight * (time - time0) * (time - time0);
        slope += weight * (time - time0) * (ahead - ahead0);
    });
    // Until the answers are so far apart that the line is steadier than they are, there is none.
    const double steadiness = spread > 0 ? std::sqrt(1 / spread) : 1;
    m_drift = steadiness < kMaxDrift / 10 ? std::clamp(slope / spread, -kMaxDrift, kMaxDrift) : 0;
    m_line = {base.ownNs + std::llround(time0), base.aheadNs + std::llround(ahead0), base.errorNs};
    if (m_drift == 0) m_line = base;
}

RankClock::Estimate RankClock::at(std::int64_t ownNs) const {
    const std::scoped_lock lock(m_mutex);
    if (m_looks.empty()) return {};
    const auto since = static_cast<double>(ownNs - m_line.ownNs);
    return {m_line.aheadNs + std::llround(m_drift * since), m_drift, m_line.errorNs};
}

}  // namespace gantry
