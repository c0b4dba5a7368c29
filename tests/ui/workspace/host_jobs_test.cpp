// Jobs of a host that is this machine: they take every step that those of others do, but ssh.
#include "ui/workspace/host_jobs.h"

#include <gtest/gtest.h>

#include <QSettings>

#include "core/base/file.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/own_host.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/workspace/job_store.h"

namespace gantry {
namespace {

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
        order.bring = bring;
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

TEST_F(HostJobsTest, AnotherStartWatchesOnAndFetches) {
    const QString folder = start("v.mha");
    ASSERT_TRUE(test::waitUntil([&] { return stateOf(folder) != "Sending"; }));
    m_store = nullptr;
    m_store = std::make_unique<JobStore>(GANTRY_PROGRAM);
    ASSERT_TRUE(comesTo(folder, "Done"));
    EXPECT_TRUE(pathExists(m_folder / "v.mha"));
}

TEST_F(HostJobsTest, ACancelledJobResumes) {
    const QString folder = start("v.mha", BringBack::volume, 256);
    ASSERT_TRUE(comesTo(folder, "Running"));
    m_store->cancel(folder);
    EXPECT_EQ(stateOf(folder), "Cancelling");
    ASSERT_TRUE(comesTo(folder, "Cancelled"));
    m_store->resume(folder);
    ASSERT_TRUE(test::waitUntil([&] { return stateOf(folder) == "Running"; }));
    m_store->cancel(folder);
    ASSERT_TRUE(comesTo(folder, "Cancelled"));
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
