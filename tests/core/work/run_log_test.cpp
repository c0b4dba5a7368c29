#include "core/work/run_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// What a run that begins on this log says first.
std::string saidAtBegin(const fs::path& path) {
    const JobEvents before = fs::exists(path) ? readEvents(path) : JobEvents();
    EventLog events(path, before);
    events.state(JobState::running);
    logBegin(events, before);
    const std::vector<std::string> logs = readEvents(path).logs;
    return logs.empty() ? std::string() : logs.back();
}

// The log of a job that began so long ago, and was cancelled after that time at work.
void writeCancelled(const fs::path& path, std::chrono::milliseconds ago,
                    std::chrono::milliseconds work) {
    const std::chrono::nanoseconds begin =
        std::chrono::system_clock::now().time_since_epoch() - ago;
    std::ofstream(path) << fmt::format(
        "{{\"event\":\"start\",\"t\":0,\"epochNs\":{}}}\n"
        "{{\"event\":\"state\",\"t\":0,\"state\":\"running\",\"message\":\"\"}}\n"
        "{{\"event\":\"state\",\"t\":{},\"state\":\"cancelled\",\"message\":\"\"}}\n",
        begin.count(), std::chrono::nanoseconds(work).count());
}

// With every digit of the clock as 0.
std::string withClockAtZero(std::string text, std::size_t clock) {
    for (std::size_t i = clock; i < std::min(text.size(), clock + 19); ++i)
        if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) text[i] = '0';
    return text;
}

TEST(RunLog, AFirstRunSaysWhenItStarted) {
    const test::TemporaryFolder folder;
    const std::string said = saidAtBegin(folder / "events.jsonl");
    EXPECT_EQ(withClockAtZero(said, 14), "info: Started 0000-00-00 00:00:00.");
}

TEST(RunLog, AResumedRunSaysHowLongThePauseWas) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    writeCancelled(path, std::chrono::milliseconds(7'275'000), std::chrono::milliseconds(60'000));
    // 7275 s − 60 s are 2 h and 15 s; minutes hide how long the test takes.
    const std::string said = saidAtBegin(path);
    EXPECT_EQ(withClockAtZero(said, 14),
              "info: Resumed 0000-00-00 00:00:00, after a pause of 2 h 00 min.");
}

TEST(RunLog, TheEndSaysHowLongTheWorkTook) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "events.jsonl";
    writeCancelled(path, std::chrono::milliseconds(7'275'000), std::chrono::milliseconds(60'000));
    EventLog events(path, readEvents(path));
    events.state(JobState::running);
    logEndOfWork(events, "Finished in");
    EXPECT_EQ(readEvents(path).logs.back(),
              "info: Finished in 60.0 s, pauses of 2 h 00 min not counted.");
}

}  // namespace
}  // namespace gantry
