#include "core/pipeline/runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/pipeline/ring_buffer.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

void waitForever(const Lane& lane) {
    RingBuffer<int> never(1);
    (void)never.pop(lane.stop());
}

TEST(Runner, TheFirstFailureStopsTheOthersAndIsTheOneReported) {
    Runner runner(nowNs(), [](const TimelineSpan&) {}, {});
    runner.spawn("waits", waitForever);
    runner.spawn("fails", [](Lane&) { throw InputError("view_12.tif: is truncated"); });
    runner.spawn("waits too", waitForever);
    EXPECT_ERROR(runner.wait(), InputError, "view_12.tif");
}

TEST(Runner, ACallersStopRequestEndsItAsCancelled) {
    std::stop_source stop;
    Runner runner(
        nowNs(), [](const TimelineSpan&) {}, stop.get_token());
    runner.spawn("waits", waitForever);
    stop.request_stop();
    EXPECT_THROW(runner.wait(), Cancelled);
}

TEST(Runner, StampsEachStageWithItsLaneAndTimes) {
    std::mutex mutex;
    std::vector<TimelineSpan> spans;
    const std::int64_t origin = nowNs();
    Runner runner(origin,
                  [&](const TimelineSpan& span) {
                      const std::scoped_lock lock(mutex);
                      spans.push_back(span);
                  },
                  {});
    runner.spawn("load", [](Lane& lane) {
        lane.measure(Stage::load, {1, 2, 300, 0},
                     [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
    });
    runner.wait();
    ASSERT_EQ(spans.size(), 1U);
    EXPECT_EQ(spans[0].lane, "load");
    EXPECT_EQ(spans[0].stage, Stage::load);
    EXPECT_EQ(spans[0].slab, 1);
    EXPECT_EQ(spans[0].batch, 2);
    EXPECT_EQ(spans[0].bytes, 300);
    EXPECT_GE(spans[0].beginNs, 0);
    EXPECT_GE(spans[0].endNs - spans[0].beginNs, 5'000'000);
    EXPECT_LE(spans[0].endNs, nowNs() - origin);
}

TEST(Runner, ReportsNothingWhenEveryLaneEnds) {
    Runner runner(nowNs(), [](const TimelineSpan&) {}, {});
    RingBuffer<int> ring(1);
    int sum = 0;
    runner.spawn("one", [&](Lane& lane) {
        for (int i = 1; i <= 10; ++i)
            ring.push(i, lane.stop());
        ring.close();
    });
    runner.spawn("two", [&](Lane& lane) {
        while (auto item = ring.pop(lane.stop()))
            sum += *item;
    });
    runner.wait();
    EXPECT_EQ(sum, 55);
}

}  // namespace
}  // namespace gantry
