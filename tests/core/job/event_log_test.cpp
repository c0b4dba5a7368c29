#include "core/job/event_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TimelineSpan someSpan(Index batch) {
    TimelineSpan span;
    span.lane = "load";
    span.stage = Stage::load;
    span.beginNs = 10 * batch;
    span.endNs = 10 * batch + 5;
    span.slab = 3;
    span.batch = batch;
    span.bytes = 1234;
    span.updates = Index{1} << 40;
    return span;
}

TEST(EventLog, IsReadBackWhole) {
    const test::TemporaryFolder folder;
    const auto path = folder / "events.jsonl";
    {
        EventLog log(path);
        log.state(JobState::running);
        log.span(someSpan(7));
        log.progress({0.25, 2, 6, 1.5});
        log.log("warning", "3 dead \"pixels\"\nin u\xCC\x88");
        log.metric("wall", 2.5, "s");
        log.preview("preview.mha");
        log.state(JobState::failed, "view 3 is truncated",
                  {.code = ErrorCode::damagedFile, .field = "projections.files"});
    }
    const JobEvents events = readEvents(path);
    ASSERT_EQ(events.spans.size(), 1U);
    EXPECT_EQ(events.spans[0].batch, 7);
    EXPECT_EQ(events.spans[0].slab, 3);
    EXPECT_EQ(events.spans[0].endNs, 75);
    EXPECT_EQ(events.spans[0].updates, Index{1} << 40);
    EXPECT_EQ(events.progress.fraction, 0.25);
    EXPECT_EQ(events.state, JobState::failed);
    EXPECT_EQ(events.stateMessage, "view 3 is truncated");
    EXPECT_EQ(events.stateCode, ErrorCode::damagedFile);
    EXPECT_EQ(events.stateField, "projections.files");
    ASSERT_EQ(events.logs.size(), 1U);
    EXPECT_EQ(events.logs[0], "warning: 3 dead \"pixels\"\nin u\xCC\x88");
    EXPECT_EQ(events.skippedLines, 0);
}

// A resumed run makes those iterations again that its state lacked.
TEST(EventLog, KeepsTheLastOfEachIteration) {
    const test::TemporaryFolder folder;
    const auto path = folder / "events.jsonl";
    {
        EventLog log(path);
        for (const Index iteration : {1, 2, 3, 2, 3, 4})
            log.iteration({iteration, 0.5 / static_cast<double>(iteration), 0.25, 1.5});
        Progress progress = {0.5, 2, 6, 1.5};
        progress.iteration = 4;
        progress.iterations = 9;
        log.progress(progress);
    }
    const JobEvents events = readEvents(path);
    ASSERT_EQ(events.iterations.size(), 4U);
    EXPECT_EQ(events.iterations[3].iteration, 4);
    EXPECT_EQ(events.iterations[3].residual, 0.125);
    EXPECT_EQ(events.iterations[3].change, 0.25);
    EXPECT_EQ(events.iterations[3].seconds, 1.5);
    EXPECT_EQ(events.progress.iteration, 4);
    EXPECT_EQ(events.progress.iterations, 9);
    EXPECT_EQ(events.skippedLines, 0);
}

TEST(EventLog, OfASimulatedRunIsThatOfOneThatIsDone) {
    const test::TemporaryFolder folder;
    const auto run = folder / "new" / "run";
    writeSimulatedEvents(run, {someSpan(1), someSpan(2)}, 12.5);
    const JobEvents events = readEvents(run / "events.jsonl");
    EXPECT_EQ(events.spans.size(), 2U);
    EXPECT_EQ(events.state, JobState::done);
    EXPECT_NEAR(events.work.seconds(), 12.5, 1e-9);
    EXPECT_EQ(events.skippedLines, 0);
    EXPECT_ERROR(writeSimulatedEvents(run, {}, 1), InputError, "events.jsonl");
    EXPECT_ERROR(writeSimulatedEvents(run / "events.jsonl" / "in", {}, 1), InputError,
                 "cannot be made as a folder");
}

TEST(EventLog, LinesFromSeveralThreadsStayWhole) {
    const test::TemporaryFolder folder;
    const auto path = folder / "events.jsonl";
    {
        EventLog log(path);
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                for (Index i = 0; i < 200; ++i)
                    log.span(someSpan(i));
            });
    }
    const JobEvents events = readEvents(path);
    EXPECT_EQ(events.spans.size(), 800U);
    EXPECT_EQ(events.skippedLines, 0);
}

TEST(EventLog, AResumedRunGoesOnAfterALineThatWasCutOff) {
    const test::TemporaryFolder folder;
    const auto path = folder / "events.jsonl";
    std::int64_t firstOrigin = 0;
    {
        EventLog log(path);
        firstOrigin = log.originNs();
        log.span(someSpan(1));
    }
    std::ofstream(path, std::ios::app) << R"({"event":"span","rank":0,"la)";
    EXPECT_EQ(readEvents(path).spans.size(), 1U);  // as a reader sees a line being written
    {
        EventLog log(path);
        // One clock for both runs; the system clock's steps are all that may come between.
        EXPECT_NEAR(static_cast<double>(log.originNs()), static_cast<double>(firstOrigin), 1e8);
        log.span(someSpan(2));
    }
    const JobEvents events = readEvents(path);
    EXPECT_EQ(events.spans.size(), 2U);
    EXPECT_EQ(events.skippedLines, 1);
}

TEST(EventLog, OddLinesAreSkippedAndCounted) {
    const test::TemporaryFolder folder;
    const auto path = folder / "events.jsonl";
    std::ofstream(path) << "{\"event\":\"start\",\"t\":0,\"epochNs\":1}\n"
                           "not json\n[1,2]\n{\"event\":\"dance\"}\n{}\n\n"
                           "{\"event\":\"span\",\"rank\":\"x\"}\n"
                           "{\"event\":\"span\",\"rank\":0,\"lane\":\"a\",\"stage\":\"polish\","
                           "\"beginNs\":1,\"endNs\":2}\n"
                           "{\"event\":\"state\",\"state\":\"asleep\"}\n"
                        << std::string(3, '\0') << "\n";
    const JobEvents events = readEvents(path);
    EXPECT_TRUE(events.spans.empty());
    EXPECT_EQ(events.skippedLines, 8);
    EXPECT_EQ(events.state, JobState::queued);
}

TEST(EventLog, AMissingFileIsNamed) {
    EXPECT_ERROR((void)readEvents("/nowhere/events.jsonl"), InputError, "/nowhere/events.jsonl");
}

}  // namespace
}  // namespace gantry
