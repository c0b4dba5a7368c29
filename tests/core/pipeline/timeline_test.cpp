#include "core/pipeline/timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/pipeline/timeline_store.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

TimelineSpan span(const char* lane, Stage stage, std::int64_t beginMs, std::int64_t endMs) {
    TimelineSpan result;
    result.lane = lane;
    result.stage = stage;
    result.beginNs = beginMs * 1'000'000;
    result.endNs = endMs * 1'000'000;
    result.bytes = 1000;
    return result;
}

TEST(Timeline, StageNamesAreReadBack) {
    for (int i = 0; i < kStageCount; ++i) {
        const auto stage = static_cast<Stage>(i);
        EXPECT_EQ(parseStage(name(stage)), stage);
    }
    EXPECT_ERROR((void)parseStage("polish"), InputError, "'polish' is not a stage");
}

TEST(Timeline, OverlapFactorIsTheSumOfTheStagesOverTheWall) {
    const std::vector<TimelineSpan> spans = {span("a", Stage::load, 100, 200),
                                             span("b", Stage::backproject, 150, 400),
                                             span("a", Stage::load, 200, 300)};
    const TimelineSummary summary = summarise(spans);
    EXPECT_DOUBLE_EQ(summary.wallSeconds, 0.3);
    EXPECT_DOUBLE_EQ(summary.overlapFactor, 0.45 / 0.3);
    EXPECT_EQ(summary.boundingStage, static_cast<int>(Stage::backproject));
    EXPECT_EQ(summary.stages[0].spans, 2);
    EXPECT_EQ(summary.stages[0].bytes, 2000);
}

TEST(Timeline, AStageOfManyLanesBoundsTheRunByItsBusiestOne) {
    const std::vector<TimelineSpan> two = {span("GPU 0", Stage::backproject, 0, 200),
                                           span("GPU 1", Stage::backproject, 0, 250),
                                           span("store", Stage::store, 100, 400)};
    const auto store = static_cast<int>(Stage::store);
    EXPECT_EQ(summarise(two).boundingStage, store);
    EXPECT_DOUBLE_EQ(summarise(two).overlapFactor, 0.75 / 0.4);
    TimelineStore reported;
    reported.append(two);
    EXPECT_EQ(reported.summary().boundingStage, store);
    EXPECT_EQ(reported.summary(reported.beginNs(), reported.endNs()).boundingStage, store);
    EXPECT_EQ(reported.summary(reported.beginNs(), reported.endNs() / 2).boundingStage,
              static_cast<int>(Stage::backproject));
}

TEST(Timeline, NothingRunIsNoWall) {
    const TimelineSummary summary = summarise({});
    EXPECT_EQ(summary.wallSeconds, 0);
    EXPECT_EQ(summary.boundingStage, -1);
}

TEST(Timeline, ChromeTraceIsValidJsonWithMicroseconds) {
    const auto trace = nlohmann::json::parse(
        toChromeTrace({span("lo\"ad\n", Stage::load, 1, 3), span("b", Stage::store, 2, 5)}));
    const auto& events = trace.at("traceEvents");
    ASSERT_EQ(events.size(), 4U);
    EXPECT_EQ(events[0].at("args").at("name"), "lo\"ad\n");
    EXPECT_EQ(events[1].at("name"), "load");
    EXPECT_DOUBLE_EQ(events[1].at("ts").get<double>(), 1000);
    EXPECT_DOUBLE_EQ(events[1].at("dur").get<double>(), 2000);
    EXPECT_NE(events[1].at("tid"), events[3].at("tid"));
    EXPECT_TRUE(nlohmann::json::parse(toChromeTrace({})).at("traceEvents").empty());
}

}  // namespace
}  // namespace gantry
