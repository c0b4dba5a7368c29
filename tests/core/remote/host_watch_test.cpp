// Jobs in a folder of this machine stand for those of a host.
#include "core/remote/action/host_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/base/run_process.h"
#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "core/remote/action/job_actions.h"
#include "core/remote/host/host.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class HostWatchTest : public testing::Test {
  protected:
    void SetUp() override {
        ::setenv("XDG_STATE_HOME", (m_folder / "state").c_str(), 1);
        ::setenv("XDG_CONFIG_HOME", (m_folder / "config").c_str(), 1);
        Host host;
        host.name = "here";
        host.scratch = (m_folder / "scratch").string();
        addHost(host);
    }
    void TearDown() override {
        ::unsetenv("XDG_STATE_HOME");
        ::unsetenv("XDG_CONFIG_HOME");
    }

    // A job that a host runs: of this test's own process, as far as the host can tell.
    RemoteJob makeJob(const std::string& name) {
        JobSpec spec;
        spec.output.path = m_folder / (name + ".mha");
        RemoteJob job;
        job.folder = jobFolderFor(spec.output.path);
        job.id = newJobId() + name;
        job.host = "here";
        job.place = (m_folder / "scratch/jobs" / name).string();
        job.number = "1";
        job.state = RemoteState::waiting;
        fs::create_directories(job.folder);
        fs::create_directories(fs::path(job.place) / "job");
        writeFileAtomically(job.folder / "job.json", toJson(spec));
        writeFileAtomically(fs::path(job.place) / "job/report.html", "{}");
        writeFileAtomically(fs::path(job.place) / "begun", "1 0 n1\n");
        keepRemoteJob(job);
        return job;
    }
    static void log(const RemoteJob& job, const std::string& line) {
        std::ofstream(fs::path(job.place) / "job/events.jsonl", std::ios::app) << line << "\n";
    }
    static void end(const RemoteJob& job, int code) {
        writeFileAtomically(fs::path(job.place) / "ended", std::to_string(code) + "\n");
    }

    void take(const HostNews& news) {
        const std::scoped_lock lock(m_mutex);
        for (const RemoteJob& job : news.jobs)
            m_seen.push_back(job);
        m_whyNot = news.whyNot;
        ++m_calls;
    }
    template <class Condition>
    [[nodiscard]] bool waitUntil(const Condition& condition) {
        for (int i = 0; i < 600; ++i) {
            {
                const std::scoped_lock lock(m_mutex);
                if (condition()) return true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return false;
    }
    [[nodiscard]] int endsSeen() const {
        return static_cast<int>(std::count_if(m_seen.begin(), m_seen.end(),
                                              [](const auto& job) { return hasEnded(job.state); }));
    }

    test::TemporaryFolder m_folder;
    std::mutex m_mutex;
    std::vector<RemoteJob> m_seen;
    std::string m_whyNot;
    int m_calls = 0;
};

TEST_F(HostWatchTest, LogsAndEndsOfAllJobsComeAndTheirRecordsInOneGo) {
    std::vector<RemoteJob> jobs;
    for (const char* name : {"a", "b's $(x)", "c"})
        jobs.push_back(makeJob(name));
    HostWatch watch("here", [this](const HostNews& news) { take(news); });
    for (const RemoteJob& job : jobs) {
        log(job, R"({"t":1,"state":"running"})");
        end(job, job.folder == jobs[1].folder ? 1 : 0);
        watch.add(job);
    }
    ASSERT_TRUE(waitUntil([this] { return endsSeen() == 3; }));
    EXPECT_EQ(watch.count(), 0u);
    for (const RemoteJob& job : jobs) {
        EXPECT_EQ(readTextFile(job.folder / "report.html"), "{}");
        EXPECT_EQ(fs::file_size(job.folder / "events.jsonl"),
                  fs::file_size(fs::path(job.place) / "job/events.jsonl"));
    }
    EXPECT_EQ(readRemoteJob(jobs[0].folder)->state, RemoteState::done);
    EXPECT_EQ(readRemoteJob(jobs[1].folder)->state, RemoteState::failed);
}

TEST_F(HostWatchTest, ItLooksAtMostOnceASecondAndTellsWhatIsNewAlone) {
    const RemoteJob job = makeJob("a");
    fs::create_directories(m_folder / "elsewhere");
    const auto begin = std::chrono::steady_clock::now();
    HostWatch watch("here", [this](const HostNews& news) { take(news); });
    watch.add(job);
    // Nobody runs it: the first look finds that it has ended.
    ASSERT_TRUE(waitUntil([this] { return endsSeen() == 1; }));
    EXPECT_EQ(m_seen.back().state, RemoteState::stopped);
    const int calls = m_calls;
    watch.add(makeJob("b"));
    ASSERT_TRUE(waitUntil([this] { return endsSeen() == 2; }));
    EXPECT_EQ(m_calls, calls + 1);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST_F(HostWatchTest, AJobThatIsCancelledIsCancelledWhateverCodeItEndsWith) {
    const RemoteJob job = makeJob("a");
    // What a launcher does that ends early.
    constexpr const char* kRun = R"sh(cd "$0" && setsid sh -c '
        trap "echo 1 >ended; exit 1" TERM
        echo "$$ 0 n1" >begun
        while :; do sleep 0.02; done' >/dev/null 2>&1 &
        until grep -q -v "^1 " "$0/begun"; do sleep 0.02; done)sh";
    ASSERT_EQ(runProcess({.words = {"sh", "-c", kRun, job.place}, .leavesGroup = true}).code, 0);
    HostWatch watch("here", [this](const HostNews& news) { take(news); });
    watch.add(job);
    watch.cancel(job.id);
    ASSERT_TRUE(waitUntil([this] { return endsSeen() == 1; }));
    EXPECT_EQ(m_seen.back().state, RemoteState::cancelled);
    EXPECT_TRUE(m_seen.back().message.starts_with("was cancelled")) << m_seen.back().message;
    // A second machine asks the host itself.
    RemoteJob other = job;
    pollJobs("here", std::span(&other, 1), {});
    EXPECT_EQ(other.state, RemoteState::cancelled);
}

TEST_F(HostWatchTest, WhatKeepsAHostFromAnsweringIsSaidOnceAndItsReturn) {
    const fs::path file = hostsFolder() / "here.json";
    const std::string good = readTextFile(file);
    writeFileAtomically(file, "{");
    const RemoteJob job = makeJob("a");
    end(job, 0);
    HostWatch watch("here", [this](const HostNews& news) { take(news); });
    watch.add(job);
    ASSERT_TRUE(waitUntil([this] { return m_whyNot.find("here.json") != std::string::npos; }));
    writeFileAtomically(file, good);
    ASSERT_TRUE(waitUntil([this] { return endsSeen() == 1 && m_whyNot.empty(); }));
}

TEST_F(HostWatchTest, ItsEndDoesNotWaitForTheNextLook) {
    const auto begin = std::chrono::steady_clock::now();
    {
        HostWatch watch("here", [this](const HostNews& news) { take(news); });
        watch.add(makeJob("a"));
        ASSERT_TRUE(waitUntil([this] { return m_calls > 0; }));
        watch.add(makeJob("b"));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
}

}  // namespace
}  // namespace gantry
