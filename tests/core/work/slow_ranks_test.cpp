#include "core/work/slow_ranks.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TimelineSpan span(int rank, Stage stage, std::int64_t begin, std::int64_t seconds,
                  Index updates = 0) {
    TimelineSpan one;
    one.rank = rank;
    one.stage = stage;
    one.beginNs = begin * kSecond;
    one.endNs = one.beginNs + seconds * kSecond;
    one.updates = updates;
    return one;
}

const std::vector<std::string> kHosts = {"alpha", "beta", "gamma"};

GridPlan planOf(std::vector<double> shares) {
    GridPlan plan;
    plan.grid = {3, 1, Exchange::rows};
    plan.shares = std::move(shares);
    return plan;
}

TEST(SlowRanks, AreNamedWithWhatTheirSharesMean) {
    const std::vector<TimelineSpan> spans = {span(0, Stage::backproject, 10, 10, 1000),
                                             span(1, Stage::backproject, 10, 20, 1000),
                                             span(2, Stage::backproject, 10, 10, 900)};
    const std::vector<std::string> slow =
        slowRanks(spans, 0, planOf({1.0 / 3, 1.0 / 3, 1.0 / 3}), kHosts);
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_NE(slow[0].find("Rank 1 on beta was slower than its share of the work"),
              std::string::npos)
        << slow[0];
    EXPECT_NE(slow[0].find("53 % of the speed that 33.3 % mean"), std::string::npos) << slow[0];
}

TEST(SlowRanks, AreNoneWhereTheSharesFit) {
    const std::vector<TimelineSpan> spans = {span(0, Stage::backproject, 10, 10, 1000),
                                             span(1, Stage::backproject, 10, 10, 500),
                                             span(2, Stage::backproject, 10, 10, 1000)};
    EXPECT_TRUE(slowRanks(spans, 0, planOf({0.4, 0.2, 0.4}), kHosts).empty());
    EXPECT_EQ(slowRanks(spans, 0, planOf({}), kHosts).size(), 1U) << "else all count the same";
}

TEST(SlowRanks, AreAsSlowAsTheStageThatKeepsThemBusy) {
    const std::vector<TimelineSpan> spans = {
        span(0, Stage::backproject, 10, 10, 1000), span(0, Stage::gather, 10, 50),
        span(1, Stage::backproject, 10, 10, 1000), span(1, Stage::load, 10, 30),
        span(2, Stage::backproject, 10, 10, 1000), span(2, Stage::reduce, 10, 50)};
    const std::vector<std::string> slow = slowRanks(spans, 0, planOf({}), kHosts);
    ASSERT_EQ(slow.size(), 1U) << "who waits for others is not slow";
    EXPECT_NE(slow[0].find("Rank 1"), std::string::npos);
}

TEST(SlowRanks, OfEarlierRunsDoNotCount) {
    const std::vector<TimelineSpan> spans = {span(0, Stage::backproject, 10, 10, 1000),
                                             span(1, Stage::backproject, 1, 5, 1),
                                             span(1, Stage::backproject, 10, 10, 1000)};
    EXPECT_TRUE(slowRanks(spans, 8 * kSecond, planOf({}), kHosts).empty());
}

}  // namespace
}  // namespace gantry
