#include "core/pipeline/timeline_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace gantry {
namespace {

TimelineSpan span(int rank, const char* lane, Stage stage, std::int64_t beginNs,
                  std::int64_t endNs) {
    return {rank, lane, stage, beginNs, endNs, 0, 0, 10, 0};
}

// Every span of a row begins where the one before ended or later; @returns how many there are.
Index countInRows(const TimelineLane& lane) {
    Index count = 0;
    for (const SpanRow& row : lane.rows) {
        for (Index i = 1; i < row.size(); ++i)
            EXPECT_GE(row[i].beginNs, row[i - 1].endNs);
        count += row.size();
    }
    return count;
}

TEST(TimelineStore, LanesComeByRankAndThenInTheOrderOfTheWalk) {
    TimelineStore store;
    store.append(std::vector{span(1, "load", Stage::load, 0, 5), span(0, "s", Stage::store, 1, 2),
                             span(0, "gpu 0", Stage::backproject, 3, 4)});
    store.append(
        std::vector{span(0, "load", Stage::load, 0, 4), span(0, "gpu 0", Stage::upload, 4, 5)});
    ASSERT_EQ(store.lanes().size(), 4U);
    EXPECT_EQ(store.lanes()[0].name, "load");
    EXPECT_EQ(store.lanes()[1].name, "gpu 0");
    EXPECT_EQ(store.lanes()[1].rows.front().size(), 2);
    EXPECT_EQ(store.lanes()[2].name, "s");
    EXPECT_EQ(store.lanes()[3].rank, 1);
    EXPECT_EQ(store.beginNs(), 0);
    EXPECT_EQ(store.endNs(), 5);
}

TEST(TimelineStore, LanesThatChangedPlacesStillGetTheirOwnSpans) {
    TimelineStore store;
    store.append(std::vector{span(0, "s", Stage::store, 50, 60)});
    store.append(std::vector{span(0, "g", Stage::backproject, 30, 40)});
    store.append(std::vector{span(0, "l", Stage::load, 10, 20)});
    // The last told first, so that none is found as the lane of the span before.
    store.append(
        std::vector{span(0, "s", Stage::store, 61, 64), span(0, "g", Stage::backproject, 41, 43),
                    span(0, "s", Stage::store, 65, 67), span(0, "l", Stage::load, 21, 22)});
    ASSERT_EQ(store.lanes().size(), 3U);
    const char* const names[] = {"l", "g", "s"};
    const Index counts[] = {2, 2, 3};
    const double busyNs[] = {10 + 1, 10 + 2, 10 + 3 + 2};
    for (std::size_t i = 0; i < 3; ++i) {
        const TimelineLane& lane = store.lanes()[i];
        EXPECT_EQ(lane.name, names[i]);
        EXPECT_EQ(countInRows(lane), counts[i]);
        EXPECT_NEAR(lane.totals[static_cast<std::size_t>(lane.firstStage)].seconds,
                    1e-9 * busyNs[i], 1e-15);
    }
}

TEST(TimelineStore, SpansThatOverlapLieInRowsOfTheirOwn) {
    TimelineStore store;
    store.append(std::vector{span(0, "a", Stage::load, 0, 10), span(0, "a", Stage::load, 5, 15),
                             span(0, "a", Stage::load, 10, 20)});
    ASSERT_EQ(store.lanes()[0].rows.size(), 2U);
    EXPECT_EQ(store.lanes()[0].rows[0].size(), 2);
    EXPECT_EQ(store.lanes()[0].rows[1].size(), 1);
}

TEST(TimelineStore, ASpanThatIsToldLateFindsItsPlace) {
    TimelineStore store;
    for (int i = 0; i < 3000; ++i)
        store.append(std::vector{span(0, "a", Stage::load, 10 * i + 2, 10 * i + 9)});
    store.append(std::vector{span(0, "a", Stage::filter, 20'000, 20'001)});
    // One around all that are there: as of a stage that calls others.
    store.append(std::vector{span(0, "a", Stage::store, 0, 40'000)});
    const TimelineLane& lane = store.lanes()[0];
    EXPECT_EQ(lane.rows.size(), 2U);
    EXPECT_EQ(countInRows(lane), 3002);
    EXPECT_EQ(lane.rows[0].size(), 1);
    EXPECT_EQ(lane.rows[1][2000].stage, Stage::filter);
}

TEST(TimelineStore, TheOrderOfTellingDoesNotMatter) {
    std::mt19937 random(5);
    std::vector<TimelineSpan> spans;
    for (int i = 0; i < 2000; ++i) {
        const auto begin = static_cast<std::int64_t>(random() % 100'000);
        spans.push_back(span(0, "a", static_cast<Stage>(i % kStageCount), begin,
                             begin + static_cast<int>(random() % 60)));
    }
    TimelineStore scattered;
    for (std::size_t at = 0; at < spans.size(); at += 100)
        scattered.append(std::span(spans).subspan(at, 100));
    TimelineStore sorted;
    std::stable_sort(spans.begin(), spans.end(),
                     [](const auto& a, const auto& b) { return a.beginNs < b.beginNs; });
    sorted.append(spans);
    const TimelineSummary one = scattered.summary(20'000, 70'000);
    const TimelineSummary other = sorted.summary(20'000, 70'000);
    for (std::size_t i = 0; i < one.stages.size(); ++i)
        EXPECT_NEAR(one.stages[i].seconds, other.stages[i].seconds, 1e-12);
    EXPECT_EQ(countInRows(scattered.lanes()[0]), 2000);
}

TEST(TimelineStore, SurvivesWhatNoRunWrites) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    TimelineStore store;
    store.append(std::vector{span(0, "a", Stage::load, 5, 3), span(-1, "a", Stage::load, 0, 3),
                             span(0, "a", Stage::load, -kMax, kMax),
                             span(0, "a", Stage::load, 0, kMax)});
    EXPECT_TRUE(store.empty());
    EXPECT_EQ(store.leftOut(), 4);
    EXPECT_EQ(store.summary().boundingStage, -1);
    // A hundred at once in one lane, and lanes without end.
    for (int i = 0; i < 100; ++i)
        store.append(std::vector{span(0, "a", Stage::load, 0, 1000)});
    EXPECT_LE(store.lanes()[0].rows.size(), 10U);
    EXPECT_NEAR(store.summary().stages[0].seconds, 100e-6, 1e-12);
    std::vector<TimelineSpan> lanes;
    for (int i = 0; i < 10'000; ++i)
        lanes.push_back(span(i, "b", Stage::load, 0, 1));
    store.append(lanes);
    EXPECT_LT(store.lanes().size(), 5000U);
    EXPECT_EQ(store.leftOut() + store.spanCount(), 10'104);
}

TEST(TimelineStore, SumsOfSizesDoNotOverflow) {
    TimelineStore store;
    TimelineSpan big = span(0, "a", Stage::load, 0, 1);
    big.bytes = 1'000'000'000'000'000;
    store.append(std::vector<TimelineSpan>(10'000, big));
    EXPECT_EQ(store.summary().stages[0].bytes, std::numeric_limits<Index>::max());
}

TEST(TimelineStore, SaysWhatItWasTold) {
    const std::vector<TimelineSpan> reported = {span(0, "a", Stage::load, 0, 10),
                                                span(0, "b", Stage::store, 5, 15)};
    TimelineStore store;
    store.append(reported);
    const std::vector<TimelineSpan> said = store.spans();
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[1].lane, "b");
    EXPECT_EQ(said[1].stage, Stage::store);
    EXPECT_EQ(said[1].endNs, 15);
    EXPECT_DOUBLE_EQ(store.summary().overlapFactor, summarise(reported).overlapFactor);
}

}  // namespace
}  // namespace gantry
