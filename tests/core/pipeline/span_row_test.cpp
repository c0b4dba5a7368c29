#include "core/pipeline/span_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gantry {
namespace {

// Touching, apart, and now and then of no length.
std::vector<LaneSpan> randomSpans(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<LaneSpan> spans;
    std::int64_t ns = 1000;
    for (int i = 0; i < count; ++i) {
        LaneSpan span;
        span.beginNs = ns + (random() % 3 == 0 ? 0 : static_cast<int>(random() % 500));
        span.endNs = span.beginNs + (random() % 50 == 0 ? 0 : static_cast<int>(random() % 900));
        span.batch = i;
        span.bytes = 1 + static_cast<int>(random() % 1000);
        span.stage = static_cast<Stage>(random() % kStageCount);
        ns = span.endNs;
        spans.push_back(span);
    }
    return spans;
}

StageTimes busyByHand(const std::vector<LaneSpan>& spans, std::int64_t ns) {
    StageTimes busy{};
    for (const LaneSpan& span : spans)
        busy[static_cast<std::size_t>(span.stage)] +=
            std::max<std::int64_t>(0, std::min(span.endNs, ns) - span.beginNs);
    return busy;
}

class SpanRowOfMany : public testing::Test {
  protected:
    SpanRowOfMany() : m_spans(randomSpans(5000, 7)) {
        // In portions, as a running job writes them.
        for (std::size_t at = 0; at < m_spans.size(); at += 37)
            m_row.append(
                std::span(m_spans).subspan(at, std::min<std::size_t>(37, m_spans.size() - at)));
    }
    std::vector<LaneSpan> m_spans;
    SpanRow m_row;
    std::mt19937 m_random{3};
};

TEST_F(SpanRowOfMany, HoldsThemInOrder) {
    ASSERT_EQ(m_row.size(), 5000);
    for (Index i = 0; i < 5000; ++i)
        ASSERT_EQ(m_row[i].batch, i);
}

TEST_F(SpanRowOfMany, BusyTimeIsThatOfGoingThroughAllSpans) {
    const auto last = static_cast<int>(m_spans.back().endNs) + 100;
    for (int i = 0; i < 500; ++i) {
        const std::int64_t ns = static_cast<int>(m_random()) % last;
        ASSERT_EQ(m_row.busyBefore(ns), busyByHand(m_spans, ns)) << ns;
    }
    ASSERT_EQ(m_row.busyBefore(last), busyByHand(m_spans, last));
}

TEST_F(SpanRowOfMany, FindsTheSpanOfAMoment) {
    const auto last = static_cast<int>(m_spans.back().endNs) + 100;
    for (int i = 0; i < 500; ++i) {
        const std::int64_t ns = static_cast<int>(m_random() % static_cast<unsigned>(last));
        const auto found = std::find_if(m_spans.begin(), m_spans.end(),
                                        [&](const LaneSpan& span) { return span.endNs > ns; });
        ASSERT_EQ(m_row.firstEndingAfter(ns), found - m_spans.begin());
    }
}

TEST_F(SpanRowOfMany, TotalsOfAStretchAreThoseOfItsSpans) {
    const auto last = static_cast<unsigned>(m_spans.back().endNs);
    for (int i = 0; i < 50; ++i) {
        const std::int64_t a = m_random() % last;
        const std::int64_t b = m_random() % last;
        const auto [begin, end] = std::minmax(a, b);
        StageTotals totals{};
        m_row.addTotals(begin, end, totals);
        const StageTimes before = busyByHand(m_spans, begin);
        const StageTimes after = busyByHand(m_spans, end);
        for (std::size_t s = 0; s < totals.size(); ++s)
            ASSERT_NEAR(totals[s].seconds, 1e-9 * static_cast<double>(after[s] - before[s]), 1e-12);
    }
}

TEST_F(SpanRowOfMany, TotalsFromItsFirstMomentToItsLastHoldEverySpan) {
    StageTotals totals{};
    m_row.addTotals(m_spans.front().beginNs, m_spans.back().endNs, totals);
    Index spans = 0, bytes = 0, allBytes = 0;
    for (const StageTotal& total : totals) {
        spans += total.spans;
        bytes += total.bytes;
    }
    for (const LaneSpan& span : m_spans)
        allBytes += span.bytes;
    EXPECT_EQ(spans, 5000);  // those of no length too
    EXPECT_EQ(bytes, allBytes);
}

TEST_F(SpanRowOfMany, FindsTheLongestGaps) {
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 0; i + 1 < m_spans.size(); ++i)
        gaps.push_back(m_spans[i + 1].beginNs - m_spans[i].endNs);
    std::sort(gaps.rbegin(), gaps.rend());
    const std::vector<Index> found = m_row.beforeLongestGaps();
    ASSERT_EQ(found.size(), SpanRow::kMaxGaps);
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_EQ(m_row[found[i] + 1].beginNs - m_row[found[i]].endNs, gaps[i]);
}

TEST_F(SpanRowOfMany, ACopyStaysAsItWasWhileTheOriginalIsCutAndGrows) {
    const SpanRow copy = m_row;
    m_row.truncate(1500);
    EXPECT_EQ(m_row.size(), 1500);
    m_row.append(std::span(m_spans).subspan(4000));
    ASSERT_EQ(m_row.size(), 2500);
    EXPECT_EQ(m_row[1499].batch, 1499);
    EXPECT_EQ(m_row[1500].batch, 4000);
    ASSERT_EQ(copy.size(), 5000);
    EXPECT_EQ(copy[1500].batch, 1500);
    EXPECT_EQ(copy.busyBefore(1'000'000), busyByHand(m_spans, 1'000'000));
    m_row.truncate(0);
    EXPECT_TRUE(m_row.empty());
}

TEST(SpanRow, NothingIsNeverBusy) {
    const SpanRow row;
    EXPECT_EQ(row.busyBefore(5), StageTimes{});
    EXPECT_EQ(row.firstEndingAfter(5), 0);
    EXPECT_TRUE(row.beforeLongestGaps().empty());
}

}  // namespace
}  // namespace gantry
