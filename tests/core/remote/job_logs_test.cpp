#include "core/remote/job/job_logs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// A job that ends between the two must not seem to be over without having left its exit code.
TEST(JobLogs, FoldersAreReadAfterTheSchedulerHasAnswered) {
    const test::TemporaryFolder folder;
    RemoteJob job;
    job.folder = folder.path();
    job.place = folder / "there";
    std::filesystem::create_directories(folder / "there/job");
    Host here;
    here.scratch = "/tmp";
    const std::string ask =
        fmt::format("echo 0 >'{}/ended'\ncase x in x) echo 'over ()';; esac\nexit 0", job.place);
    const LogNews news = readLogs(HostShell(here), std::span(&job, 1), ask, {});
    ASSERT_EQ(news.traces.size(), 1U);
    EXPECT_EQ(news.traces[0].ended, 0);
    EXPECT_EQ(news.more, "over ()\n");
    EXPECT_EQ(readLogs(HostShell(here), std::span(&job, 1), {}, {}).traces[0].ended, 0);
}

// The host's `head` prints four bytes of a log, and then the shell that runs the script is gone.
TEST(JobLogs, WhatHasArrivedIsKeptWhenTheAnswerBreaksOff) {
    const test::TemporaryFolder folder;
    RemoteJob job;
    job.folder = folder / "here";
    job.place = folder / "there";
    std::filesystem::create_directories(job.folder);
    std::filesystem::create_directories(folder / "there/job");
    std::filesystem::create_directories(folder / "bin");
    std::ofstream(folder / "there/job/events.jsonl") << "0123456789\n";
    std::ofstream(folder / "bin/head") << "#!/bin/sh\ndd bs=1 count=4 2>/dev/null\nkill -9 $PPID\n";
    std::filesystem::permissions(folder / "bin/head", std::filesystem::perms::owner_all);
    Host here;
    here.scratch = "/tmp";
    const std::string usual = std::getenv("PATH");
    ::setenv("PATH", ((folder / "bin").string() + ":" + usual).c_str(), 1);
    EXPECT_THROW((void)readLogs(HostShell(here), std::span(&job, 1), {}, {}), ResourceError);
    ::setenv("PATH", usual.c_str(), 1);
    const auto kept = [&] {
        std::ifstream log(job.folder / "events.jsonl");
        return std::string(std::istreambuf_iterator<char>(log), {});
    };
    EXPECT_EQ(kept(), "0123");
    // The next call goes on behind them.
    EXPECT_FALSE(readLogs(HostShell(here), std::span(&job, 1), {}, {}).hasMore);
    EXPECT_EQ(kept(), "0123456789\n");
}

}  // namespace
}  // namespace gantry
