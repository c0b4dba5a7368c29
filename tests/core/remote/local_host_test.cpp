// A script stands for gantry: it holds the job and logs as a worker does, and lives until its end
// is asked for.
#include "core/remote/action/local_host.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "core/base/file.h"
#include "core/job/job_directory.h"
#include "core/job/job_lock.h"
#include "core/remote/action/host_watch.h"
#include "core/remote/job/remote_status.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;

constexpr const char* kWorker = R"sh(#!/bin/sh
job=$2
printf '%s\n' "$@" >"$job/words"
say() { echo "{\"event\":\"state\",\"state\":\"$1\"}" >>"$job/events.jsonl"; }
if [ -e "$job/deaf" ]; then trap '' TERM; else trap 'say cancelled; exit 130' TERM; fi
exec 9<>"$job/lock"
flock 9
say running
echo "$$ $(uname -n)" >"$job/lock"
while ! [ -e "$job/finish" ]; do sleep 0.01 9>&-; done
say done
)sh";

class LocalHostTest : public testing::Test {
  protected:
    void SetUp() override {
        writeFileAtomically(program(), kWorker);
        fs::permissions(program(), fs::perms::owner_all);
    }
    void TearDown() override {
        for (const fs::path& folder : m_jobs)
            if (const int pid = jobHolder(folder).pid.value_or(0); pid > 0) ::kill(pid, SIGKILL);
    }

    [[nodiscard]] fs::path program() const { return m_folder / "gan try"; }
    RemoteJob makeJob(const std::string& name) {
        JobSpec spec;
        spec.output.path = m_folder / name;
        const RemoteJob job = localJob(jobFolderFor(spec.output.path));
        (void)JobDirectory::create(job.folder, spec);
        m_jobs.push_back(job.folder);
        return job;
    }
    static void begin(LocalHost& host, RemoteJob& job) { host.start(job, {}, {}); }
    static void look(LocalHost& host, RemoteJob& job) {
        EXPECT_FALSE(host.poll(std::span(&job, 1), {}));
    }
    // Half a minute: for a machine that does much else.
    [[nodiscard]] static bool waitUntil(const std::function<bool()>& condition) {
        for (int i = 0; i < 3000; ++i) {
            if (condition()) return true;
            std::this_thread::sleep_for(milliseconds(10));
        }
        return false;
    }
    [[nodiscard]] static bool comesTo(LocalHost& host, RemoteJob& job, RemoteState state) {
        return waitUntil([&] {
            look(host, job);
            return job.state == state;
        });
    }

    test::TemporaryFolder m_folder;
    std::vector<fs::path> m_jobs;
};

TEST_F(LocalHostTest, AJobIsWorkedOnInItsFolderAndKeptNowhereElse) {
    LocalHost host(program().string());
    RemoteJob job = makeJob("it's $(v) 胡桃.mha");
    begin(host, job);
    EXPECT_EQ(job.place, job.folder.string());
    // It holds the job when it is submitted, so that who comes next waits for it.
    EXPECT_EQ(jobHolder(job.folder).isHeld, true);
    ASSERT_TRUE(comesTo(host, job, RemoteState::running));
    EXPECT_EQ(readStatusOf(job).workerPid, jobHolder(job.folder).pid);
    std::ofstream(job.folder / "finish");
    ASSERT_TRUE(comesTo(host, job, RemoteState::done));
    EXPECT_FALSE(pathExists(job.folder / "remote.json"));
    EXPECT_EQ(readTextFile(job.folder / "words"), "worker\n" + job.folder.string() + "\n");
}

TEST_F(LocalHostTest, AJobIsToldWhomItWaitsFor) {
    LocalHost host(program().string());
    RemoteJob job = makeJob("v.mha");
    const std::vector<fs::path> after = {m_folder / "a b.job", m_folder / "c.job"};
    host.start(job, after, {});
    EXPECT_EQ(readTextFile(job.folder / "words"), "worker\n" + job.folder.string() + "\n--after\n" +
                                                      after[0].string() + "\n--after\n" +
                                                      after[1].string() + "\n");
}

TEST_F(LocalHostTest, ACancelledJobIsTheOnlyOneThatEnds) {
    LocalHost host(program().string());
    RemoteJob job = makeJob("a.mha");
    RemoteJob other = makeJob("b.mha");
    begin(host, job);
    begin(host, other);
    host.cancel(job, {});
    ASSERT_TRUE(comesTo(host, job, RemoteState::cancelled));
    EXPECT_FALSE(readStatusOf(job).workerPid);
    look(host, other);
    EXPECT_EQ(other.state, RemoteState::running);
    // Once more: what was asked of the run of before is over.
    begin(host, job);
    ASSERT_TRUE(comesTo(host, job, RemoteState::running));
    look(host, job);
    EXPECT_EQ(job.state, RemoteState::running);
}

TEST_F(LocalHostTest, AWorkerThatDoesNotEndIsKilled) {
    LocalHost host(program().string(), milliseconds(100));
    RemoteJob job = makeJob("v.mha");
    std::ofstream(job.folder / "deaf");
    begin(host, job);
    ASSERT_TRUE(comesTo(host, job, RemoteState::running));
    host.cancel(job, {});
    ASSERT_TRUE(comesTo(host, job, RemoteState::cancelled));
    EXPECT_EQ(readJobStatus(job.folder).state, JobState::cancelled);
}

TEST_F(LocalHostTest, AJobOfAnotherProgramIsWatchedAndCancelledToo) {
    LocalHost other(program().string());
    RemoteJob theirs = makeJob("v.mha");
    begin(other, theirs);
    LocalHost host("/no/such/program");
    RemoteJob job = localJob(theirs.folder);
    ASSERT_TRUE(comesTo(host, job, RemoteState::running));
    host.cancel(job, {});
    ASSERT_TRUE(comesTo(host, job, RemoteState::cancelled));
    look(other, theirs);
    EXPECT_EQ(theirs.state, RemoteState::cancelled);
}

TEST_F(LocalHostTest, AJobThatNobodyWorksOnIsMarkedAsCancelled) {
    LocalHost host(program().string());
    RemoteJob job = makeJob("v.mha");
    host.cancel(job, {});
    look(host, job);
    EXPECT_EQ(job.state, RemoteState::cancelled);
    EXPECT_EQ(readJobStatus(job.folder).state, JobState::cancelled);
}

TEST_F(LocalHostTest, AKilledWorkerIsAFailureThatTellsTheWayOn) {
    LocalHost host(program().string());
    RemoteJob job = makeJob("v.mha");
    begin(host, job);
    ASSERT_TRUE(comesTo(host, job, RemoteState::running));
    ::kill(jobHolder(job.folder).pid.value(), SIGKILL);
    ASSERT_TRUE(comesTo(host, job, RemoteState::failed));
    EXPECT_NE(job.message.find("Press Resume"), std::string::npos) << job.message;
}

TEST_F(LocalHostTest, AFolderThatIsGoneIsToldFromADiskThatIsAway) {
    LocalHost host(program().string());
    fs::create_directory(m_folder / "mount");
    RemoteJob removed = localJob(m_folder / "v.mha.job");
    RemoteJob away = localJob(m_folder / "mount" / "v.mha.job");
    look(host, removed);
    look(host, away);
    EXPECT_EQ(removed.state, RemoteState::gone);
    EXPECT_EQ(away.state, RemoteState::waiting);
    host.cancel(away, {});
    look(host, away);
    EXPECT_EQ(away.state, RemoteState::gone);
    EXPECT_TRUE(isRemoved(removed.folder));
    EXPECT_FALSE(isRemoved(away.folder));
}

TEST_F(LocalHostTest, AProgramThatIsNotThereIsSaid) {
    LocalHost host((m_folder / "none").string());
    RemoteJob job = makeJob("v.mha");
    EXPECT_ERROR(host.start(job, {}, {}), ResourceError, "none could not be started");
}

TEST_F(LocalHostTest, AWatchTellsItsNewsInTime) {
    std::vector<RemoteState> states;
    std::mutex mutex;
    const auto host = std::make_shared<LocalHost>(program().string());
    HostWatch watch([host] { return host; }, milliseconds(20),
                    [&](const HostNews& news) {
                        const std::scoped_lock lock(mutex);
                        for (const RemoteJob& job : news.jobs)
                            states.push_back(job.state);
                    });
    const auto isLast = [&](RemoteState state) {
        const std::scoped_lock lock(mutex);
        return !states.empty() && states.back() == state;
    };
    RemoteJob job = makeJob("v.mha");
    LocalHost starting(program().string());
    begin(starting, job);
    watch.add(job);
    ASSERT_TRUE(waitUntil([&] { return isLast(RemoteState::running); }));
    watch.cancel(job.id);
    ASSERT_TRUE(waitUntil([&] { return isLast(RemoteState::cancelled); }));
    EXPECT_TRUE(waitUntil([&] { return watch.count() == 0; }));
}

}  // namespace
}  // namespace gantry
