#include "core/pipeline/work_time.h"

#include <gtest/gtest.h>

#include "core/pipeline/lane_use.h"

namespace gantry {
namespace {

constexpr std::int64_t kS = 1'000'000'000;

TimelineSpan span(const char* lane, Stage stage, Index batch, std::int64_t beginS,
                  std::int64_t endS) {
    TimelineSpan result;
    result.lane = lane;
    result.stage = stage;
    result.batch = batch;
    result.beginNs = beginS * kS;
    result.endNs = endS * kS;
    return result;
}

// Killed after 7 s, resumed 720 s later, done after 3 s more.
WorkTime killedAndResumed() {
    WorkTime work;
    work.begin(1 * kS);
    work.worked({2 * kS, 4 * kS});
    work.seen(8 * kS);
    work.begin(728 * kS);
    work.worked({729 * kS, 730 * kS});
    work.end(731 * kS);
    return work;
}

TEST(WorkTime, CountsRunsAndNotThePausesBetweenThem) {
    const WorkTime work = killedAndResumed();
    EXPECT_DOUBLE_EQ(work.seconds(), 10);
    EXPECT_DOUBLE_EQ(work.pausedSeconds(), 720);
    ASSERT_EQ(work.pauses().size(), 1U);
    EXPECT_EQ(work.pauses()[0], (TimeRange{8 * kS, 728 * kS}));
    EXPECT_FALSE(work.isOpen());
}

TEST(WorkTime, StoringAfterTheLastSpanCounts) {
    WorkTime work;
    work.begin(0);
    work.worked({0, 8 * kS});
    work.end(9 * kS);
    EXPECT_DOUBLE_EQ(work.seconds(), 9);
}

TEST(WorkTime, ALogWithoutStatesIsOneRunFromItsFirstSpanOn) {
    WorkTime work;
    work.seen(5 * kS);  // of no run
    work.worked({30 * kS, 40 * kS});
    work.worked({20 * kS, 60 * kS});
    ASSERT_EQ(work.runs().size(), 1U);
    EXPECT_EQ(work.runs()[0], (TimeRange{20 * kS, 60 * kS}));
}

TEST(WorkTime, AClockThatWasSetBackLeavesRunsInTheirOrder) {
    WorkTime work;
    work.begin(10 * kS);
    work.end(20 * kS);
    work.begin(5 * kS);
    work.end(7 * kS);
    EXPECT_DOUBLE_EQ(work.seconds(), 10);
    EXPECT_DOUBLE_EQ(work.pausedSeconds(), 0);
}

TEST(WorkTime, WithoutPausesTheRunsMeet) {
    const WorkTime work = killedAndResumed();
    const WorkTime close = work.withoutPauses();
    EXPECT_EQ(close.runs()[1], (TimeRange{8 * kS, 11 * kS}));
    EXPECT_DOUBLE_EQ(close.seconds(), work.seconds());
    EXPECT_EQ(work.pausedBeforeNs(8 * kS), 0);
    EXPECT_EQ(work.pausedBeforeNs(729 * kS), 720 * kS);
}

TEST(WorkTime, NoStageWaitsInAPause) {
    TimelineStore store;
    const std::vector<TimelineSpan> spans = {
        span("load", Stage::load, 0, 2, 4), span("filter", Stage::filter, 0, 4, 5),
        span("load", Stage::load, 1, 729, 730), span("filter", Stage::filter, 1, 730, 731)};
    store.append(spans);
    store.setWork(killedAndResumed());
    EXPECT_DOUBLE_EQ(store.summary().wallSeconds, 10);
    EXPECT_DOUBLE_EQ(store.summary().overlapFactor, 0.5);
    const std::vector<LaneUse> uses = laneUse(store, true);
    EXPECT_DOUBLE_EQ(uses[0].busySeconds, 3);
    EXPECT_DOUBLE_EQ(uses[0].idleSeconds, 7);
    for (const LaneUse& use : uses)
        for (const LaneGap& gap : use.gaps)
            EXPECT_LE(gap.seconds(), 4) << describe(gap);
    EXPECT_EQ(describe(uses[0].gaps[0]), "idle 4.00 s before the job was interrupted");
    EXPECT_EQ(describe(uses[1].gaps[2]), "waited 2.00 s for its first batch from load");
    EXPECT_FALSE(gapAt(store, store.lanes()[0], 300 * kS, true));
    EXPECT_TRUE(gapAt(store, store.lanes()[0], 6 * kS, true));
}

}  // namespace
}  // namespace gantry
