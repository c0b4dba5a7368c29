#include "core/cluster/rank_clock.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

constexpr std::size_t kMaxSamples = 64;
// Clocks of computers differ by less: a steeper line comes from answers that took long.
constexpr double kMaxDrift = 1e-3;

}  // namespace

void RankClock::add(const Answer& answer) {
    const std::int64_t took = answer.heardNs - answer.askedNs;
    if (took < 0) return;
    const std::int64_t middle = answer.askedNs + took / 2;
    const Sample sample = {middle, answer.firstNs - middle, took / 2};
    const std::scoped_lock lock(m_mutex);
    const bool isSoon = !m_samples.empty() && middle - m_samples.back().ownNs < m_whileNs;
    if (!isSoon)
        m_samples.push_back(sample);
    else if (sample.errorNs < m_samples.back().errorNs)
        m_samples.back() = sample;
    if (m_samples.size() > kMaxSamples) thinOut();
    fit();
}

// Keeps the quicker one of each two, so that a run of any length has a few.
void RankClock::thinOut() {
    m_whileNs *= 2;
    std::vector<Sample> kept;
    for (std::size_t i = 0; i + 1 < m_samples.size(); i += 2)
        kept.push_back(m_samples[i].errorNs <= m_samples[i + 1].errorNs ? m_samples[i]
                                                                        : m_samples[i + 1]);
    if (m_samples.size() % 2 == 1) kept.push_back(m_samples.back());
    m_samples = std::move(kept);
}

// Fits a line by least squares, in which quick answers have more weight.
void RankClock::fit() {
    const Sample& base =
        *std::min_element(m_samples.begin(), m_samples.end(),
                          [](const Sample& a, const Sample& b) { return a.errorNs < b.errorNs; });
    double weights = 0;
    double times = 0;
    double aheads = 0;
    const auto each = [&](const auto& take) {
        for (const Sample& sample : m_samples) {
            const double error = static_cast<double>(sample.errorNs) + 1e3;
            take(1 / (error * error), static_cast<double>(sample.ownNs - base.ownNs),
                 static_cast<double>(sample.aheadNs - base.aheadNs));
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
    if (m_samples.empty()) return {};
    const auto since = static_cast<double>(ownNs - m_line.ownNs);
    return {m_line.aheadNs + std::llround(m_drift * since), m_drift, m_line.errorNs};
}

}  // namespace gantry
