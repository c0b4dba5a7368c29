#include "core/job/event_tail.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string startLine(int epoch) {
    return fmt::format("{{\"event\":\"start\",\"t\":0,\"epochNs\":{}}}\n", epoch);
}

std::string spanLine(int batch) {
    return R"({"event":"span","rank":0,"lane":"load","stage":"load","beginNs":)" +
           std::to_string(10 * batch) + R"(,"endNs":)" + std::to_string(10 * batch + 5) +
           R"(,"slab":0,"batch":)" + std::to_string(batch) + R"(,"bytes":9,"updates":0})" + "\n";
}

void append(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

void rewrite(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

TEST(EventTail, TellsWhatCameSinceTheLastTime) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    EventTail tail(path);
    EXPECT_TRUE(tail.read().empty());  // not there yet
    append(path, startLine(1) + spanLine(1));
    EventNews news = tail.read();
    ASSERT_EQ(news.spans.size(), 1U);
    EXPECT_EQ(news.spans[0].batch, 1);
    EXPECT_FALSE(news.restarted);
    EXPECT_FALSE(news.state.has_value());
    EXPECT_TRUE(tail.read().empty());

    append(path,
           "{\"event\":\"state\",\"t\":1,\"state\":\"running\",\"message\":\"\"}\n"
           "{\"event\":\"progress\",\"fraction\":0.25,\"elapsedSeconds\":2,\"leftSeconds\":-1,"
           "\"gups\":1}\n"
           "{\"event\":\"log\",\"level\":\"info\",\"text\":\"hello\"}\n"
           "{\"event\":\"progress\",\"fraction\":0.5,\"elapsedSeconds\":4,\"leftSeconds\":4,"
           "\"gups\":1.5}\n" +
               spanLine(2));
    news = tail.read();
    EXPECT_EQ(news.state, JobState::running);
    ASSERT_TRUE(news.progress);
    EXPECT_EQ(news.progress->fraction, 0.5);
    EXPECT_EQ(news.progress->leftSeconds, 4);
    EXPECT_EQ(news.logs, std::vector<std::string>{"info: hello"});
    ASSERT_EQ(news.spans.size(), 1U);
    EXPECT_EQ(news.spans[0].batch, 2);
    EXPECT_EQ(news.skippedLines, 0);
}

TEST(EventTail, FollowsTheLogsOfTheOtherRanks) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    EventTail tail(path);
    EventLog(path).ranks({"desk", "desk", "node \"7\""});
    append(path, spanLine(1));
    append(folder / "events.rank1.jsonl", startLine(1) + spanLine(2));
    const EventNews first = tail.read();
    EXPECT_EQ(first.spans.size(), 2U);
    EXPECT_EQ(first.hosts.at(2), "node \"7\"");
    // A rank may begin later, and its state is not the job's.
    append(folder / "events.rank2.jsonl",
           startLine(1) + spanLine(3) +
               "{\"event\":\"log\",\"level\":\"info\",\"text\":\"from rank 2\"}\n"
               "{\"event\":\"state\",\"t\":9,\"state\":\"done\",\"message\":\"\"}\n");
    append(folder / "events.rank3.jsonl", spanLine(4));  // of an earlier run on more ranks
    const EventNews news = tail.read();
    ASSERT_EQ(news.spans.size(), 1U);
    EXPECT_EQ(news.spans[0].batch, 3);
    EXPECT_EQ(news.logs, std::vector<std::string>{"info: rank 2 on node \"7\": from rank 2"});
    EXPECT_FALSE(news.state.has_value());
    EXPECT_TRUE(tail.read().empty());
}

TEST(EventTail, ALineThatIsBeingWrittenIsLeftForLater) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    EventTail tail(path);
    const std::string text = startLine(1) + spanLine(1) + spanLine(2) + spanLine(3);
    std::size_t spans = 0;
    for (std::size_t i = 0; i < text.size(); i += 7) {
        append(path, text.substr(i, 7));
        const EventNews news = tail.read();
        spans += news.spans.size();
        EXPECT_EQ(news.skippedLines, 0);
        EXPECT_FALSE(news.restarted);
    }
    EXPECT_EQ(spans, 3U);
}

TEST(EventTail, AFileThatWasBegunAnewIsTold) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    EventTail tail(path);
    const auto expectAnew = [&](int batch) {
        const EventNews news = tail.read();
        EXPECT_TRUE(news.restarted);
        ASSERT_EQ(news.spans.size(), 1U);
        EXPECT_EQ(news.spans[0].batch, batch);
        EXPECT_FALSE(tail.read().restarted);
    };
    append(path, startLine(1) + spanLine(1) + spanLine(2));
    EXPECT_FALSE(tail.read().restarted);
    rewrite(path, startLine(2) + spanLine(3));  // shorter
    expectAnew(3);
    fs::remove(path);
    EXPECT_TRUE(tail.read().empty());
    append(path, startLine(3) + std::string(500, '\n') + spanLine(4));  // gone, and longer
    expectAnew(4);
    rewrite(path, startLine(4) + std::string(900, '\n') + spanLine(5));  // longer in place
    expectAnew(5);
}

TEST(EventTail, GarbageIsCountedAndPassedOver) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    const std::string longLane(100'000, 'x');
    append(path, startLine(1) + std::string(2000, '\0') + "\n" + std::string(100'000, '[') + "\n" +
                     std::string(100'000, 'a') + "\n" + "\xff\xfe\n" +
                     "{\"event\":\"dance\",\"with\":{\"event\":\"span\"}}\n"
                     "7\n\"text\"\nnull\n{\"event\":7}\n[{\"event\":\"start\"}]\n" +
                     "{\"event\":\"span\",\"rank\":0,\"lane\":\"" + longLane +
                     "\",\"stage\":\"load\",\"beginNs\":1,\"endNs\":2,\"new\":[1,{\"lane\":\"z\"}],"
                     "\"newer\":true}\n" +
                     spanLine(9));
    EventTail tail(path);
    const EventNews news = tail.read();
    ASSERT_EQ(news.spans.size(), 2U);
    EXPECT_EQ(news.spans[0].lane, longLane);
    EXPECT_EQ(news.spans[1].batch, 9);
    EXPECT_EQ(news.skippedLines, 10);
}

TEST(EventTail, ImpossibleNumbersAreDamage) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    const auto span = [](const std::string& begin, const std::string& end,
                         const std::string& more) {
        return R"({"event":"span","rank":0,"lane":"a","stage":"load","beginNs":)" + begin +
               R"(,"endNs":)" + end + more + "}\n";
    };
    append(path, span("5", "4", "") + span("-1", "4", "") + span("1", "1e400", "") +
                     span("1", "9223372036854775807", "") + span("1", "99999999999999999999", "") +
                     span("1", "2.5", "") + span("1", "2", ",\"bytes\":-3") +
                     span("1", "2", ",\"rank\":4000000000") + span("1", "2", ""));
    append(path,
           "{\"event\":\"progress\",\"fraction\":7,\"elapsedSeconds\":0,\"leftSeconds\":0,"
           "\"gups\":0}\n"
           "{\"event\":\"progress\",\"fraction\":null,\"elapsedSeconds\":0,\"leftSeconds\":0,"
           "\"gups\":0}\n");
    EventTail tail(path);
    const EventNews news = tail.read();
    EXPECT_EQ(news.spans.size(), 1U);
    EXPECT_EQ(news.skippedLines, 9);
    ASSERT_TRUE(news.progress);
    EXPECT_EQ(news.progress->fraction, 1);
}

TEST(EventTail, ALogLineWithoutItsLevelOrTextIsDamage) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    append(path,
           "{\"event\":\"log\",\"t\":1,\"level\":\"info\"}\n"
           "{\"event\":\"log\",\"t\":2,\"text\":\"whole\"}\n"
           "{\"event\":\"log\",\"t\":3,\"level\":\"info\",\"text\":\"whole\"}\n");
    EventTail tail(path);
    const EventNews news = tail.read();
    EXPECT_EQ(news.logs, std::vector<std::string>{"info: whole"});
    EXPECT_EQ(news.skippedLines, 2);
}

TEST(EventTail, AKilledRunWasAtWorkUntilItsLastLine) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    append(path,
           startLine(1) +
               "{\"event\":\"state\",\"t\":1500,\"state\":\"running\",\"message\":\"\"}\n" +
               spanLine(200) +  // until 2005
               "{\"event\":\"log\",\"t\":7300,\"level\":\"info\",\"text\":\"still there\"}\n");
    EventTail tail(path);
    const EventNews news = tail.read();
    ASSERT_EQ(news.work.runs().size(), 1U);
    EXPECT_EQ(news.work.runs()[0].beginNs, 1500);
    EXPECT_EQ(news.work.runs()[0].endNs, 7300);
}

TEST(EventTail, ALongFileComesInPieces) {
    const TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    constexpr int kSpans = 40'000;
    {
        std::ofstream file(path, std::ios::binary);
        file << startLine(1);
        for (int i = 0; i < 1000; ++i)
            file << spanLine(i);
        // No event is that long: it is dropped, though the first piece of 16 MB ends in it. The
        // second ends among the events behind it.
        const std::string block(100'000, 'x');
        for (int i = 0; i < 300; ++i)
            file << block;
        file << "\n";
        for (int i = 1000; i <= kSpans; ++i)
            file << spanLine(i);
    }
    EventTail tail(path);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)tail.read(stop.get_token()), Cancelled);
    Index next = 0;
    Index skipped = 0;
    int calls = 0;
    bool more = true;
    while (more) {
        const EventNews news = tail.read();
        for (const TimelineSpan& span : news.spans)
            if (span.batch != next++) FAIL() << span.batch << " is not " << next - 1;
        skipped += news.skippedLines;
        more = news.more;
        ++calls;
    }
    EXPECT_EQ(next, kSpans + 1);
    EXPECT_EQ(skipped, 1);
    EXPECT_GT(calls, 2);
    EXPECT_TRUE(tail.read().empty());
}

TEST(EventTail, WhatIsNoFileIsSaid) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "events.jsonl");
    EventTail tail(folder / "events.jsonl");
    EXPECT_THROW((void)tail.read(), InputError);
}

}  // namespace
}  // namespace gantry
