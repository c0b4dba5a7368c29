#include "core/pipeline/lane_use.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TimelineSpan work(const char* lane, Stage stage, Index batch, std::int64_t beginMs,
                  std::int64_t endMs, int rank = 0) {
    TimelineSpan span;
    span.rank = rank;
    span.lane = lane;
    span.stage = stage;
    span.batch = batch;
    span.beginNs = beginMs * 1'000'000;
    span.endNs = endMs * 1'000'000;
    return span;
}

TimelineStore storeOf(const std::vector<TimelineSpan>& spans) {
    TimelineStore store;
    store.append(spans);
    return store;
}

const LaneUse& use(const std::vector<LaneUse>& uses, const std::string& lane) {
    for (const LaneUse& one : uses)
        if (one.lane == lane) return one;
    throw std::runtime_error("no lane " + lane);
}

// A slow load: the others wait for every batch of it.
std::vector<TimelineSpan> boundByLoad() {
    std::vector<TimelineSpan> spans;
    for (Index b = 0; b < 4; ++b) {
        spans.push_back(work("load", Stage::load, b, 1000 * b, 1000 * b + 1000));
        spans.push_back(work("filter", Stage::filter, b, 1000 * b + 1000, 1000 * b + 1100));
        spans.push_back(work("gpu", Stage::backproject, b, 1000 * b + 1100, 1000 * b + 1300));
    }
    return spans;
}

TEST(LaneUse, WaitingForASlowReaderIsNamedSo) {
    const std::vector<LaneUse> uses = laneUse(storeOf(boundByLoad()), true);
    const LaneUse& gpu = use(uses, "gpu");
    EXPECT_NEAR(gpu.busySeconds, 0.8, 1e-9);
    EXPECT_NEAR(gpu.idleSeconds, 4.3 - 0.8, 1e-9);
    ASSERT_EQ(gpu.gaps.size(), 4U);
    EXPECT_EQ(gpu.gaps[0].cause, GapCause::start);
    EXPECT_EQ(describe(gpu.gaps[0]), "waited 1.10 s for its first batch from load");
    EXPECT_EQ(gpu.gaps[1].cause, GapCause::input);
    EXPECT_EQ(describe(gpu.gaps[1]), "waited 0.80 s for load");
    const LaneUse& load = use(uses, "load");
    ASSERT_EQ(load.gaps.size(), 1U);
    EXPECT_EQ(describe(load.gaps[0]), "was done 0.30 s before the run's end");
}

TEST(LaneUse, WaitingForRoomNamesTheStageThatHoldsIt) {
    // Two slots: load may be two batches ahead of a slow back-projection.
    std::vector<TimelineSpan> spans;
    for (Index b = 0; b < 6; ++b) {
        const std::int64_t done = 1000 * b + 1000;
        const std::int64_t loaded = b < 2 ? 10 * b : 1000 * (b - 1);
        spans.push_back(work("load", Stage::load, b, loaded, loaded + 10));
        spans.push_back(work("filter", Stage::filter, b, loaded + 10, loaded + 20));
        spans.push_back(work("gpu", Stage::backproject, b, done - 970, done));
    }
    const std::vector<LaneUse> uses = laneUse(storeOf(spans), true);
    EXPECT_EQ(describe(use(uses, "load").gaps[1]), "waited 0.99 s for back-project to make room");
    // The filter had to wait for load, but load hardly worked: back-projection held both.
    EXPECT_EQ(describe(use(uses, "filter").gaps[1]), "waited 0.99 s for back-project to make room");
}

TEST(LaneUse, ABatchThatWasThereWhenTheGapBeganWasNotWaitedFor) {
    // The filter's next batch was loaded at 1 s, just as the gap began: only the slot to put it in
    // was missing, though load worked for longer in the gap than back-projection.
    const TimelineStore store = storeOf(
        {work("load", Stage::load, 0, 0, 500), work("load", Stage::load, 1, 500, 1000),
         work("load", Stage::load, 2, 1000, 1900), work("filter", Stage::filter, 0, 600, 1000),
         work("filter", Stage::filter, 1, 2000, 2100),
         work("gpu", Stage::backproject, 0, 1100, 1700)});
    const std::optional<LaneGap> gap = gapAt(store, store.lanes()[1], 1'500'000'000, true);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->cause, GapCause::room);
    EXPECT_EQ(describe(*gap), "waited 1.00 s for back-project to make room");
}

TEST(LaneUse, WhileItRunsNothingIsSaidOfALaneThatMayBeBusy) {
    const TimelineStore store = storeOf(boundByLoad());
    EXPECT_TRUE(use(laneUse(store, false), "load").gaps.empty());
    EXPECT_EQ(use(laneUse(store, true), "load").gaps.size(), 1U);
    const TimelineLane& load = store.lanes()[0];
    EXPECT_FALSE(gapAt(store, load, 4'200'000'000, false));
    EXPECT_TRUE(gapAt(store, load, 4'200'000'000, true));
}

TEST(LaneUse, APauseInWhichNobodyWorkedHasNoStage) {
    const TimelineStore store =
        storeOf({work("load", Stage::load, 0, 0, 10), work("load", Stage::load, 1, 5000, 5010)});
    const std::vector<LaneUse> uses = laneUse(store, true);
    EXPECT_EQ(uses[0].gaps[0].cause, GapCause::unknown);
    EXPECT_EQ(describe(uses[0].gaps[0]), "idle 4.99 s while no stage before or after it worked");
}

TEST(LaneUse, ARankThatIsIdleWaitsForTheOthers) {
    const TimelineStore store =
        storeOf({work("load", Stage::load, 0, 0, 10), work("gather", Stage::gather, 0, 1000, 1010),
                 work("load", Stage::load, 0, 0, 900, 1)});
    const std::optional<LaneGap> gap = gapAt(store, store.lanes()[1], 500'000'000, true);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->stage, Stage::load);
}

TEST(LaneUse, TheGapAroundAMomentIsThatOfTheList) {
    const TimelineStore store = storeOf(boundByLoad());
    const TimelineLane& gpu = store.lanes()[2];
    const std::optional<LaneGap> gap = gapAt(store, gpu, 1'500'000'000, true);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->beginNs, 1'300'000'000);
    EXPECT_EQ(gap->endNs, 2'100'000'000);
    EXPECT_EQ(gap->stage, Stage::load);
    EXPECT_FALSE(gapAt(store, gpu, 1'200'000'000, true));
    EXPECT_FALSE(gapAt(store, gpu, -5, true));
    // A moment counts to what begins at it, at the run's begin and at its end too.
    const std::optional<LaneGap> first = gapAt(store, gpu, 0, true);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->endNs, 1'100'000'000);
    EXPECT_FALSE(gapAt(store, store.lanes()[0], 4'300'000'000, true));
    EXPECT_FALSE(gapAt(store, gpu, 9'000'000'000, true));
}

TEST(LaneUse, OverlappingSpansLeaveOnlyTheTimeInWhichNoneRan) {
    const TimelineStore store =
        storeOf({work("a", Stage::load, 0, 0, 100), work("a", Stage::load, 1, 50, 300),
                 work("a", Stage::load, 2, 400, 500), work("b", Stage::store, 0, 0, 600)});
    const LaneUse a = laneUse(store, true)[0];
    EXPECT_NEAR(a.busySeconds, 0.45, 1e-9);
    EXPECT_NEAR(a.idleSeconds, 0.2, 1e-9);
    ASSERT_EQ(a.gaps.size(), 2U);
    EXPECT_NEAR(a.gaps[0].seconds(), 0.1, 1e-9);
    EXPECT_FALSE(gapAt(store, store.lanes()[0], 200'000'000, true));
    EXPECT_TRUE(gapAt(store, store.lanes()[0], 350'000'000, true));
}

TEST(LaneUse, ShortTimesHaveTheirOwnUnits) {
    EXPECT_EQ(formatSpanTime(0), "0 ns");
    EXPECT_EQ(formatSpanTime(640e-9), "640 ns");
    EXPECT_EQ(formatSpanTime(4.2e-6), "4.20 µs");
    EXPECT_EQ(formatSpanTime(250.4e-6), "250 µs");
    EXPECT_EQ(formatSpanTime(0.0134), "13.4 ms");
    EXPECT_EQ(formatSpanTime(0.42), "0.42 s");
    EXPECT_EQ(formatSpanTime(200), "3 min 20 s");
}

}  // namespace
}  // namespace gantry
