// Jobs of a host that is this machine: they take every step that those of others do, but ssh.
#include "ui/workspace/jobs/host_jobs.h"

#include <gtest/gtest.h>

#include <QProcess>
#include <QSettings>
#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/remote/transfer/sent_files.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/held_job.h"
#include "tests/ui/workspace/own_host.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/job_store.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class HostJobsTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        m_scan = readScanFile(test::makeScan(m_folder / "scan"));
        m_store = std::make_unique<JobStore>(GANTRY_PROGRAM);
    }

    [[nodiscard]] QString start(const std::string& name, BringBack bring = BringBack::volume,
                                Index voxels = 24) {
        JobSpec spec = test::jobOf(m_scan, voxels, m_folder / name);
        if (voxels > 100) {  // for some seconds
            spec.cpuKernel = kReferenceKernel;
            spec.threads = 1;
            spec.batchViews = 1;
        }
        HostOrder order;
        order.host = "here";
        order.wishes.bring = bring;
        order.way = DataWay::sent;
        return m_store->start(spec, {}, order);
    }
    [[nodiscard]] QString stateOf(const QString& folder) const {
        const JobEntry* job = m_store->find(folder);
        return job ? stateText(*job) : QString();
    }
    [[nodiscard]] ::testing::AssertionResult comesTo(const QString& folder, const QString& state) {
        if (test::waitUntil([&] { return stateOf(folder) == state; }))
            return ::testing::AssertionSuccess();
        const JobEntry* job = m_store->find(folder);
        return ::testing::AssertionFailure()
               << stateOf(folder).toStdString() << ": " << (job ? job->status.message : "none");
    }

    // Cancels a job that runs. It is held meanwhile, so that it cannot end first.
    void cancelHeld(const QString& folder) {
        std::optional<RemoteJob> job;
        ASSERT_TRUE(test::waitUntil([&] {
            job = readRemoteJob(toPath(folder));
            return job && !job->number.empty() && pathExists(job->place + "/begun");
        }));
        {
            std::unique_ptr<test::HeldJob> held;
            ASSERT_TRUE(test::waitUntil([&] {
                held = std::make_unique<test::HeldJob>(job->place);
                return held->isAny();
            }));
            ASSERT_TRUE(test::waitUntil([&] { return stateOf(folder) != "Sending"; }));
            m_store->cancel(folder);
            EXPECT_TRUE(test::waitUntil([&] { return held->isAskedToEnd(); }));
        }
        ASSERT_TRUE(comesTo(folder, "Cancelled"));
    }
    // A job of the command line, left to the host.
    void beginByCommand(const std::string& name) {
        QProcess process;
        process.start(GANTRY_PROGRAM,
                      {"reconstruct", toText(m_scan.path), "--voxels", "24", "--out",
                       toText(m_folder / name), "--host", "here", "--data", "send", "--detach"});
        ASSERT_TRUE(process.waitForFinished(60'000));
        ASSERT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
    }

    test::OwnHost m_host;
    test::TemporaryFolder m_folder;
    ScanFile m_scan;
    std::unique_ptr<JobStore> m_store;
};

TEST_F(HostJobsTest, AJobIsSentWatchedAndItsVolumeFetched) {
    const QString folder = start("v.mha");
    ASSERT_FALSE(folder.isEmpty());
    EXPECT_EQ(stateOf(folder), "Sending");
    EXPECT_EQ(m_store->activeCount(), 0);  // none of this machine
    ASSERT_TRUE(comesTo(folder, "Done"));
    EXPECT_TRUE(m_store->find(folder)->hasVolume());
    EXPECT_TRUE(pathExists(m_folder / "v.mha"));
    EXPECT_TRUE(pathExists(toPath(folder) / "report.html"));
}

TEST_F(HostJobsTest, AVolumeMayStayThereUntilItIsFetched) {
    const QString folder = start("v.mha", BringBack::nothing);
    ASSERT_TRUE(comesTo(folder, "Done there"));
    EXPECT_FALSE(pathExists(m_folder / "v.mha"));
    m_store->fetch(folder);
    EXPECT_EQ(stateOf(folder), "Fetching");
    ASSERT_TRUE(comesTo(folder, "Done"));
    EXPECT_TRUE(pathExists(m_folder / "v.mha"));
}

// Two clicks ask for it: the volume crosses the line once.
TEST_F(HostJobsTest, AJobThatIsBeingFetchedIsNotFetchedASecondTime) {
    const QString folder = start("v.mha", BringBack::nothing);
    ASSERT_TRUE(comesTo(folder, "Done there"));
    m_store = nullptr;
    HostJobs jobs(GANTRY_PROGRAM);
    int begun = 0;
    QObject::connect(&jobs, &HostJobs::moved, &jobs, [&](const QString&, double fraction) {
        if (fraction == 0) ++begun;
    });
    jobs.follow(readRemoteJob(toPath(folder)).value());
    jobs.fetch(folder, BringBack::volume);
    jobs.fetch(folder, BringBack::volume);
    EXPECT_EQ(begun, 1);
    EXPECT_TRUE(test::waitUntil([&] { return pathExists(m_folder / "v.mha"); }));
}

TEST_F(HostJobsTest, AnotherStartWatchesOnAndFetches) {
    const QString folder = start("v.mha");
    ASSERT_TRUE(test::waitUntil([&] { return stateOf(folder) != "Sending"; }));
    m_store = nullptr;
    m_store = std::make_unique<JobStore>(GANTRY_PROGRAM);
    ASSERT_TRUE(comesTo(folder, "Done"));
    EXPECT_TRUE(pathExists(m_folder / "v.mha"));
}

// The program was killed between the host's taking the job and its answer.
TEST_F(HostJobsTest, AJobWhoseNumberNeverArrivedIsFoundAtTheNextStart) {
    const QString folder = start("v.mha", BringBack::volume, 160);
    RemoteJob job;
    ASSERT_TRUE(test::waitUntil([&] {
        job = readRemoteJob(toPath(folder)).value_or(RemoteJob());
        return !job.number.empty();
    }));
    m_store = nullptr;
    job.number.clear();
    job.state = RemoteState::preparing;
    keepRemoteJob(job);
    m_store = std::make_unique<JobStore>(GANTRY_PROGRAM);
    ASSERT_TRUE(comesTo(folder, "Done"));
    EXPECT_EQ(m_store->find(folder)->hosted->job.id, job.id);
    EXPECT_TRUE(pathExists(m_folder / "v.mha"));
}

TEST_F(HostJobsTest, TheWaitForAnotherJobThatSendsTheSameFilesIsShown) {
    const fs::path data = m_host.scratch() / "data";
    const std::string name = "scan-" + filesOf(m_scan).state + ".lock";
    fs::create_directories(data / name);
    writeFileAtomically(data / name / "owner", "another\n");
    const QString folder = start("v.mha");
    ASSERT_TRUE(test::waitUntil(
        [&] { return messageText(*m_store->find(folder)).contains("Another job sends"); }));
    fs::remove_all(data / name);
    ASSERT_TRUE(comesTo(folder, "Done"));
    EXPECT_FALSE(messageText(*m_store->find(folder)).contains("Another job sends"));
}

TEST_F(HostJobsTest, ACancelledJobResumes) {
    const QString folder = start("v.mha", BringBack::volume, 160);
    cancelHeld(folder);
    m_store->resume(folder);
    EXPECT_EQ(stateOf(folder), "Sending");
    ASSERT_TRUE(comesTo(folder, "Done"));
}

TEST_F(HostJobsTest, AJobGoesOnOnAnotherHostAndHere) {
    addHost(m_host.host("beside"));
    const QString folder = start("v.mha", BringBack::volume, 160);
    cancelHeld(folder);
    const std::string id = m_store->find(folder)->hosted->job.id;
    m_store->resumeElsewhere(folder, "beside");
    EXPECT_EQ(stateOf(folder), "Sending");
    ASSERT_TRUE(
        test::waitUntil([&] { return m_store->find(folder)->hosted->job.host == "beside"; }));
    ASSERT_EQ(remoteJobs().size(), 1U);
    EXPECT_EQ(remoteJobs().front().host, "beside");
    EXPECT_NE(m_store->find(folder)->hosted->job.id, id);
    cancelHeld(folder);
    m_store->resumeElsewhere(folder, {});
    ASSERT_TRUE(comesTo(folder, "Done"));
    EXPECT_FALSE(m_store->find(folder)->hosted);
    EXPECT_TRUE(remoteJobs().empty());
    EXPECT_TRUE(pathExists(m_folder / "v.mha"));
}

TEST_F(HostJobsTest, AJobThatCannotBeFetchedStaysWhereItIs) {
    const QString folder = start("v.mha", BringBack::volume, 160);
    cancelHeld(folder);
    Host host = m_host.host("here");
    removeHost("here");
    m_store->resumeElsewhere(folder, {});
    ASSERT_TRUE(test::waitUntil([&] { return !m_store->find(folder)->isActive(); }));
    EXPECT_NE(m_store->find(folder)->status.message.find("no host 'here'"), std::string::npos);
    addHost(host);
    m_store->resumeElsewhere(folder, "nowhere");
    ASSERT_TRUE(test::waitUntil([&] { return !m_store->find(folder)->isActive(); }));
    EXPECT_NE(m_store->find(folder)->status.message.find("no host 'nowhere'"), std::string::npos);
    host = m_host.host("beside");
    host.program = "/nowhere/gantry";
    addHost(host);
    m_store->resumeElsewhere(folder, "beside");
    ASSERT_TRUE(test::waitUntil([&] { return !m_store->find(folder)->isActive(); }));
    EXPECT_NE(m_store->find(folder)->status.message.find("/nowhere/gantry"), std::string::npos);
    EXPECT_EQ(m_store->find(folder)->hosted->job.host, "here");
    m_store->resume(folder);
    ASSERT_TRUE(comesTo(folder, "Done"));
    EXPECT_EQ(m_store->find(folder)->hosted->job.host, "here");
}

TEST_F(HostJobsTest, JobsOfTheCommandLineAreListedAtTheStartAndMeanwhile) {
    const QString first = toText(m_folder / "a.mha.job");
    const QString second = toText(m_folder / "b.mha.job");
    m_store = nullptr;
    beginByCommand("a.mha");
    m_store = std::make_unique<JobStore>(GANTRY_PROGRAM);
    ASSERT_TRUE(comesTo(first, "Done there"));
    beginByCommand("b.mha");
    ASSERT_TRUE(comesTo(second, "Done there"));
    ASSERT_EQ(m_store->jobs().size(), 2U);
    EXPECT_EQ(m_store->jobs().front().folder, second);
    // What nobody asked for is not fetched.
    EXPECT_FALSE(pathExists(m_folder / "b.mha"));
    m_store->fetch(second);
    ASSERT_TRUE(comesTo(second, "Done"));
    // What was taken off the list does not come back.
    m_store->forget(first);
    ASSERT_TRUE(test::waitUntil([] { return remoteJobs().size() == 1; }));
    m_store = nullptr;
    m_store = std::make_unique<JobStore>(GANTRY_PROGRAM);
    ASSERT_TRUE(comesTo(second, "Done"));
    beginByCommand("c.mha");
    ASSERT_TRUE(comesTo(toText(m_folder / "c.mha.job"), "Done there"));
    EXPECT_EQ(m_store->find(first), nullptr);
    EXPECT_TRUE(pathExists(toPath(first)));
}

TEST_F(HostJobsTest, WhatTheHostLacksIsSaidAndTheJobCanBeSentAgain) {
    Host host = m_host.host("here");
    host.program = "/nowhere/gantry";
    keepHost(host);
    const QString folder = start("v.mha");
    ASSERT_TRUE(comesTo(folder, "Failed"));
    EXPECT_NE(m_store->find(folder)->status.message.find("gantry"), std::string::npos);
    keepHost(m_host.host("here"));
    m_store->resume(folder);
    ASSERT_TRUE(comesTo(folder, "Done"));
}

TEST_F(HostJobsTest, AVolumeThatIsNoMoreThereIsSaid) {
    const QString folder = start("v.mha", BringBack::nothing);
    ASSERT_TRUE(comesTo(folder, "Done there"));
    std::filesystem::remove_all(m_host.scratch());
    m_store->fetch(folder);
    ASSERT_TRUE(comesTo(folder, "Done there"));
    EXPECT_NE(m_store->find(folder)->status.message.find("has no folder"), std::string::npos);
}

TEST_F(HostJobsTest, AJobThatWasBeingSentWhenTheProgramEndedSaysSo) {
    RemoteJob job;
    job.folder = m_folder / "v.mha.job";
    job.host = "here";
    job.id = newJobId();
    const HostedJob hosted = readHostedJob(job);
    EXPECT_EQ(hosted.status.state, JobState::failed);
    EXPECT_NE(hosted.status.message.find("Resume"), std::string::npos);
}

}  // namespace
}  // namespace gantry
