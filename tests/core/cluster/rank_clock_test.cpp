#include "core/cluster/rank_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>

namespace gantry {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Rank 0's clock is ahead by 7.3 s when the other one shows 100 s, and gains on it.
class RankClockTest : public testing::TestWithParam<double> {
  protected:
    [[nodiscard]] std::int64_t aheadAt(std::int64_t ownNs) const {
        return 7'300'000'000 +
               std::llround(GetParam() * static_cast<double>(ownNs - 100 * kSecond));
    }

    // Asks, and is answered after between 50 µs and 4 ms, one way longer than the other.
    void ask(std::int64_t ownNs) {
        std::exponential_distribution<double> late(1.0 / 800e3);
        const auto there = static_cast<std::int64_t>(25e3 + std::min(late(m_random), 2e6));
        const auto back = static_cast<std::int64_t>(25e3 + std::min(late(m_random), 2e6));
        const std::int64_t answered = ownNs + there;
        m_clock->add({ownNs, answered + aheadAt(answered), answered + back});
    }

    [[nodiscard]] double errorAt(std::int64_t ownNs) const {
        return std::abs(static_cast<double>(m_clock->at(ownNs).aheadNs - aheadAt(ownNs)));
    }

    std::mt19937 m_random{11};
    std::optional<RankClock> m_clock = std::make_optional<RankClock>();
};

TEST_P(RankClockTest, KnowsTheOffsetFromAFewAnswers) {
    EXPECT_EQ(m_clock->at(5).aheadNs, 0);
    for (int i = 0; i < 8; ++i)
        ask(100 * kSecond + i * 3'000'000);
    const RankClock::Estimate now = m_clock->at(100 * kSecond);
    EXPECT_LT(errorAt(100 * kSecond), static_cast<double>(now.errorNs) + 1e3);
    EXPECT_EQ(now.drift, 0) << "too soon to tell";
}

TEST_P(RankClockTest, KnowsTheDriftAfterAWhile) {
    for (const int seconds : {60, 600, 8 * 3600}) {
        m_clock.emplace();
        for (int i = 0; i < seconds; ++i)
            ask((100 + i) * kSecond);
        // What has not been corrected would be 6 ms in a minute, and 2.9 s in eight hours.
        for (const double part : {0.0, 0.4, 1.0})
            EXPECT_LT(errorAt((100 + std::llround(part * seconds)) * kSecond), 4e5) << seconds;
        EXPECT_NEAR(m_clock->at(0).drift, GetParam(), 1e-2 / seconds);
    }
}

TEST_P(RankClockTest, AnswersThatCannotBeAreLeftOut) {
    ask(100 * kSecond);
    const RankClock::Estimate before = m_clock->at(100 * kSecond);
    m_clock->add({200 * kSecond, 1, 199 * kSecond});
    EXPECT_EQ(m_clock->at(100 * kSecond).aheadNs, before.aheadNs);
}

INSTANTIATE_TEST_SUITE_P(Drifts, RankClockTest, testing::Values(0.0, 1e-4, -3.7e-5));

}  // namespace
}  // namespace gantry
