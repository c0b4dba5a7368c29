#include "core/remote/job/job_logs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

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

}  // namespace
}  // namespace gantry
