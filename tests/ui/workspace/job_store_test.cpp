#include "ui/workspace/jobs/job_store.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <QFile>
#include <QSettings>
#include <algorithm>

#include "core/base/file.h"
#include "core/geometry/volume_grid.h"
#include "core/job/forecast_file.h"
#include "core/job/job_directory.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class JobStoreTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        m_scan = readScanFile(test::makeScan(m_folder / "scan"));
    }

    // Done in an instant.
    [[nodiscard]] JobSpec quickJob(const std::string& name) const {
        return test::jobOf(m_scan, 24, m_folder / name);
    }
    [[nodiscard]] JobSpec longJob(const std::string& name) const {
        return test::longJobOf(m_scan, m_folder / name);
    }

    [[nodiscard]] static bool waitFor(const JobStore& store, const QString& folder,
                                      JobState state) {
        return test::waitUntil([&] {
            const JobEntry* job = store.find(folder);
            return job && job->status.state == state;
        });
    }
    [[nodiscard]] static bool waitForProgress(const JobStore& store, const QString& folder) {
        return test::waitUntil([&] {
            const JobEntry* job = store.find(folder);
            return job && job->status.workerPid && job->status.progress.fraction > 0;
        });
    }
    // Ends what a test has started.
    static void end(JobStore& store) {
        for (const JobEntry& job : std::vector(store.jobs()))
            store.cancel(job.folder);
        EXPECT_TRUE(test::waitUntil([&] { return store.activeCount() == 0; }));
    }

    test::TemporaryFolder m_folder;
    ScanFile m_scan;
};

TEST_F(JobStoreTest, AJobRunsToItsEndWithItsProgressSeen) {
    JobStore store(GANTRY_PROGRAM);
    std::vector<double> fractions;
    int finished = 0;
    QObject::connect(&store, &JobStore::changed, &store, [&](int row) {
        fractions.push_back(store.jobs()[static_cast<std::size_t>(row)].status.progress.fraction);
    });
    QObject::connect(&store, &JobStore::finished, &store, [&] { ++finished; });
    JobSpec spec = longJob("volume.mha");
    spec.volume = fitGrid(m_scan.geometry, 160);
    const QString folder = store.start(spec);
    ASSERT_FALSE(folder.isEmpty());
    EXPECT_EQ(store.jobs().size(), 1u);
    EXPECT_EQ(store.find(folder)->status.state, JobState::queued);
    EXPECT_EQ(store.find(folder)->name, "walnut");
    EXPECT_TRUE(store.find(folder)->size.startsWith("160 × 160"));
    ASSERT_TRUE(waitFor(store, folder, JobState::done));
    EXPECT_TRUE(pathExists(spec.output.path));
    EXPECT_EQ(finished, 1);
    EXPECT_EQ(store.activeCount(), 0);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_TRUE(std::any_of(fractions.begin(), fractions.end(),
                            [](double fraction) { return fraction > 0 && fraction < 1; }));
}

TEST_F(JobStoreTest, TheForecastIsKeptWithTheJob) {
    JobStore store(GANTRY_PROGRAM);
    Forecast forecast;
    forecast.wall = 12.5;
    forecast.backproject = 10;
    const QString folder = store.start(quickJob("volume.mha"), forecast);
    ASSERT_TRUE(waitFor(store, folder, JobState::done));
    ASSERT_TRUE(readForecast(toPath(folder)));
    EXPECT_EQ(readForecast(toPath(folder))->wall, 12.5);
}

TEST_F(JobStoreTest, ACancelledJobGoesOnAndGivesTheSameVolume) {
    JobSpec spec = longJob("volume.mha");
    spec.volume = fitGrid(m_scan.geometry, 160);
    // So little memory that it is made in several slabs, whose first ones are kept.
    test::allowMemoryForSlabs(spec, 4);
    JobSpec whole = spec;
    whole.output.path = m_folder / "whole.mha";

    JobStore store(GANTRY_PROGRAM);
    const QString folder = store.start(spec);
    ASSERT_TRUE(test::waitUntil([&] { return pathExists(toPath(folder) / "checkpoint.json"); }));
    store.cancel(folder);
    EXPECT_TRUE(store.find(folder)->isCancelling);
    ASSERT_TRUE(waitFor(store, folder, JobState::cancelled));
    EXPECT_FALSE(store.find(folder)->isCancelling);
    EXPECT_TRUE(store.find(folder)->status.canResume);
    EXPECT_FALSE(pathExists(spec.output.path));

    store.resume(folder);
    EXPECT_TRUE(store.find(folder)->isActive());
    ASSERT_TRUE(waitFor(store, folder, JobState::done));
    const QString uninterrupted = store.start(whole);
    ASSERT_TRUE(waitFor(store, uninterrupted, JobState::done));
    const Volume a = readVolume(spec.output.path);
    const Volume b = readVolume(whole.output.path);
    ASSERT_EQ(a.voxels.count(), b.voxels.count());
    EXPECT_TRUE(
        std::equal(a.voxels.span().begin(), a.voxels.span().end(), b.voxels.span().begin()));
}

TEST_F(JobStoreTest, AKilledWorkerIsAFailedJob) {
    JobStore store(GANTRY_PROGRAM);
    const QString folder = store.start(longJob("volume.mha"));
    ASSERT_TRUE(waitForProgress(store, folder));
    ::kill(*store.find(folder)->status.workerPid, SIGKILL);
    ASSERT_TRUE(waitFor(store, folder, JobState::failed));
    EXPECT_NE(store.find(folder)->status.message.find("stopped unexpectedly"), std::string::npos);
    EXPECT_EQ(store.activeCount(), 0);
    // The store goes on.
    const QString other = store.start(quickJob("other.mha"));
    EXPECT_TRUE(waitFor(store, other, JobState::done));
}

TEST_F(JobStoreTest, AnotherStartFindsTheRunningJobAgain) {
    QString folder;
    {
        JobStore store(GANTRY_PROGRAM);
        folder = store.start(longJob("volume.mha"));
        ASSERT_TRUE(waitForProgress(store, folder));
    }
    JobStore store(GANTRY_PROGRAM);
    ASSERT_TRUE(waitForProgress(store, folder));
    EXPECT_EQ(store.find(folder)->status.state, JobState::running);
    EXPECT_EQ(store.find(folder)->name, "walnut");
    end(store);
    EXPECT_EQ(store.find(folder)->status.state, JobState::cancelled);
}

TEST_F(JobStoreTest, AJobIsStartedThoughTheDesktopIsClosedAtOnce) {
    QString folder;
    {
        JobStore store(GANTRY_PROGRAM);
        folder = store.start(quickJob("volume.mha"));
    }
    JobStore store(GANTRY_PROGRAM);
    EXPECT_TRUE(waitFor(store, folder, JobState::done));
}

TEST_F(JobStoreTest, JobsTakeTurnsThoughTheDesktopIsClosedAtOnce) {
    QString first, second;
    {
        JobStore store(GANTRY_PROGRAM);
        first = store.start(longJob("first.mha"));
        second = store.start(quickJob("second.mha"));
    }
    JobStore store(GANTRY_PROGRAM);
    ASSERT_TRUE(waitForProgress(store, first));
    EXPECT_EQ(store.find(second)->status.state, JobState::queued);
    store.cancel(first);
    ASSERT_TRUE(waitFor(store, first, JobState::cancelled));
    EXPECT_TRUE(waitFor(store, second, JobState::done));
}

TEST_F(JobStoreTest, JobsRunInTurn) {
    JobStore store(GANTRY_PROGRAM);
    const QString first = store.start(longJob("first.mha"));
    const QString second = store.start(quickJob("second.mha"));
    EXPECT_EQ(store.jobs().front().folder, second);
    ASSERT_TRUE(waitForProgress(store, first));
    ASSERT_TRUE(test::waitUntil([&] { return store.find(second)->status.workerPid.has_value(); }));
    EXPECT_EQ(store.find(second)->status.state, JobState::queued);
    EXPECT_EQ(store.activeCount(), 2);
    store.cancel(first);
    ASSERT_TRUE(waitFor(store, first, JobState::cancelled));
    EXPECT_TRUE(waitFor(store, second, JobState::done));
}

TEST_F(JobStoreTest, JobsThatAreResumedWaitInNoCircle) {
    JobStore store(GANTRY_PROGRAM);
    const QString first = store.start(longJob("first.mha"));
    ASSERT_TRUE(waitForProgress(store, first));
    const QString second = store.start(quickJob("second.mha"));
    const QString third = store.start(quickJob("third.mha"));
    ASSERT_TRUE(test::waitUntil([&] { return store.find(third)->status.workerPid.has_value(); }));
    store.cancel(second);
    ASSERT_TRUE(waitFor(store, second, JobState::cancelled));
    // It waits for the third, which was to wait for the second.
    const QString fourth = store.start(quickJob("fourth.mha"));
    ASSERT_TRUE(test::waitUntil([&] { return store.find(fourth)->status.workerPid.has_value(); }));
    store.resume(second);
    ASSERT_TRUE(test::waitUntil([&] { return store.find(second)->status.workerPid.has_value(); }));
    store.cancel(first);
    for (const QString& folder : {second, third, fourth})
        EXPECT_TRUE(waitFor(store, folder, JobState::done)) << folder.toStdString();
}

TEST_F(JobStoreTest, AJobResumedByTheNextDesktopWaitsInNoCircle) {
    QString first, second, third;
    {
        JobStore store(GANTRY_PROGRAM);
        first = store.start(longJob("first.mha"));
        ASSERT_TRUE(waitForProgress(store, first));
        second = store.start(quickJob("second.mha"));
        third = store.start(quickJob("third.mha"));
        ASSERT_TRUE(
            test::waitUntil([&] { return store.find(third)->status.workerPid.has_value(); }));
        store.cancel(second);
        ASSERT_TRUE(waitFor(store, second, JobState::cancelled));
    }
    JobStore store(GANTRY_PROGRAM);
    ASSERT_TRUE(waitForProgress(store, first));
    store.resume(second);
    const QString fourth = store.start(quickJob("fourth.mha"));
    ASSERT_TRUE(test::waitUntil([&] { return store.find(fourth)->status.workerPid.has_value(); }));
    store.cancel(first);
    for (const QString& folder : {second, third, fourth})
        EXPECT_TRUE(waitFor(store, folder, JobState::done)) << folder.toStdString();
}

TEST_F(JobStoreTest, AResumedJobWaitsForTheOneThatWasBehindIt) {
    JobStore store(GANTRY_PROGRAM);
    const QString first = store.start(longJob("first.mha"));
    ASSERT_TRUE(waitForProgress(store, first));
    const QString second = store.start(longJob("second.mha"));
    store.cancel(first);
    ASSERT_TRUE(waitFor(store, first, JobState::cancelled));
    ASSERT_TRUE(waitForProgress(store, second));
    store.resume(first);
    ASSERT_TRUE(test::waitUntil([&] { return store.find(first)->status.workerPid.has_value(); }));
    EXPECT_EQ(store.find(first)->status.state, JobState::queued);
    end(store);
}

TEST_F(JobStoreTest, AQueuedJobCanBeCancelled) {
    JobStore store(GANTRY_PROGRAM);
    const QString first = store.start(longJob("first.mha"));
    ASSERT_TRUE(waitForProgress(store, first));
    const QString second = store.start(quickJob("second.mha"));
    store.cancel(second);
    ASSERT_TRUE(waitFor(store, second, JobState::cancelled));
    EXPECT_EQ(store.find(first)->status.state, JobState::running);
    end(store);
}

TEST_F(JobStoreTest, NamesMayBeOdd) {
    JobStore store(GANTRY_PROGRAM);
    for (const std::string name : {"it's \"walnut\" $HOME; ls.mha", "Nuß 胡桃 é.mha"}) {
        const QString folder = store.start(quickJob(name));
        ASSERT_TRUE(waitFor(store, folder, JobState::done)) << name;
        EXPECT_EQ(store.find(folder)->output, toText(m_folder / name));
    }
    JobStore again(GANTRY_PROGRAM);
    EXPECT_TRUE(test::waitUntil([&] { return again.jobs().size() == 2; }));
}

TEST_F(JobStoreTest, TwoDesktopsKeepEachOthersJobs) {
    JobStore one(GANTRY_PROGRAM);
    JobStore two(GANTRY_PROGRAM);
    const QString a = one.start(quickJob("a.mha"));
    const QString b = two.start(quickJob("b.mha"));
    ASSERT_TRUE(waitFor(one, a, JobState::done));
    ASSERT_TRUE(waitFor(two, b, JobState::done));
    one.forget(a);
    const QString c = one.start(quickJob("c.mha"));
    ASSERT_TRUE(waitFor(one, c, JobState::done));
    ASSERT_TRUE(test::waitUntil([&] {
        return PathList::read(PathList::kJobFolders) == QStringList({c, b});
    })) << PathList::read(PathList::kJobFolders).join(' ').toStdString();
}

TEST_F(JobStoreTest, AJobOfAnotherWindowIsListedWhileItRuns) {
    JobStore here(GANTRY_PROGRAM);
    JobStore other(GANTRY_PROGRAM);
    const QString first = here.start(quickJob("first.mha"));
    ASSERT_TRUE(waitFor(here, first, JobState::done));
    const QString folder = other.start(longJob("other.mha"));
    ASSERT_TRUE(waitForProgress(here, folder));
    EXPECT_EQ(here.jobs().front().folder, folder);
    EXPECT_EQ(here.activeCount(), 1);
    // It may be cancelled from here.
    here.cancel(folder);
    EXPECT_TRUE(waitFor(other, folder, JobState::cancelled));
    ASSERT_TRUE(waitFor(here, folder, JobState::cancelled));
    // What is forgotten here does not come back.
    here.forget(folder);
    test::pass(3000);
    EXPECT_EQ(here.find(folder), nullptr);
    EXPECT_TRUE(waitFor(other, first, JobState::done));
}

// The settings are a file that the other process replaces.
TEST_F(JobStoreTest, AJobOfAnotherProcessIsListed) {
    JobStore store(GANTRY_PROGRAM);
    const QString own = store.start(quickJob("own.mha"));
    ASSERT_TRUE(waitFor(store, own, JobState::done));
    const JobSpec spec = quickJob("other.mha");
    const fs::path folder = jobFolderFor(spec.output.path);
    (void)JobDirectory::create(folder, spec);
    const fs::path settings = toPath(QSettings().fileName());
    ASSERT_TRUE(test::waitUntil([&] { return pathExists(settings); }));
    writeFileAtomically(settings,
                        "[jobs]\nfolders=" + folder.string() + ", " + own.toStdString() + "\n");
    EXPECT_TRUE(test::waitUntil([&] { return store.find(toText(folder)) != nullptr; }));
    EXPECT_EQ(store.jobs().size(), 2U);
}

TEST_F(JobStoreTest, WhatCannotBeStartedIsSaidAndNotListed) {
    JobStore store(GANTRY_PROGRAM);
    test::Heard heard(store);
    JobSpec spec = quickJob("volume.mha");
    spec.output.path = m_folder / "nowhere" / "volume.mha";
    EXPECT_FALSE(store.start(spec).isEmpty());
    ASSERT_TRUE(test::waitUntil([&] { return heard.count() > 0; }));
    EXPECT_TRUE(heard.hasError("nowhere"));
    EXPECT_TRUE(store.jobs().empty());
}

TEST_F(JobStoreTest, TheSameVolumeIsNotMadeTwiceAtOnce) {
    JobStore store(GANTRY_PROGRAM);
    test::Heard heard(store);
    const QString folder = store.start(longJob("volume.mha"));
    EXPECT_TRUE(store.start(quickJob("volume.mha")).isEmpty());
    EXPECT_TRUE(heard.hasError("already"));
    EXPECT_EQ(store.jobs().size(), 1u);
    ASSERT_TRUE(waitForProgress(store, folder));
    end(store);
    // After its end the name may be used again.
    ASSERT_EQ(store.start(quickJob("volume.mha")), folder);
    EXPECT_TRUE(waitFor(store, folder, JobState::done));
    EXPECT_EQ(store.jobs().size(), 1u);
}

TEST_F(JobStoreTest, AProgramThatIsNotThereIsSaid) {
    JobStore store(toText(m_folder / "no-such-program"));
    const QString folder = store.start(quickJob("volume.mha"));
    ASSERT_TRUE(waitFor(store, folder, JobState::failed));
    EXPECT_NE(store.find(folder)->status.message.find("could not be started"), std::string::npos);
}

TEST_F(JobStoreTest, AVanishedFolderLeavesTheListWithAWord) {
    JobStore store(GANTRY_PROGRAM);
    test::Heard heard(store);
    const QString folder = store.start(longJob("volume.mha"));
    ASSERT_TRUE(waitForProgress(store, folder));
    const int worker = *store.find(folder)->status.workerPid;
    fs::remove_all(toPath(folder));
    EXPECT_TRUE(test::waitUntil([&] { return store.jobs().empty(); }));
    EXPECT_TRUE(heard.has(Message::Kind::warning, "gone"));
    ::kill(worker, SIGKILL);
}

TEST_F(JobStoreTest, FoldersThatVanishedMeanwhileAreSaidAtTheNextStart) {
    const QString gone = toText(m_folder / "gone.mha.job");
    const QString notMounted = "/no/such/disk/volume.mha.job";
    fs::create_directory(m_folder / "mount");
    const QString nothingMounted = toText(m_folder / "mount" / "volume.mha.job");
    QSettings().setValue("jobs/folders", QStringList({notMounted, gone, nothingMounted}));
    JobStore store(GANTRY_PROGRAM);
    test::Heard heard(store);
    ASSERT_TRUE(test::waitUntil([&] { return heard.count() > 0; }));
    EXPECT_TRUE(heard.has(Message::Kind::info, gone));
    EXPECT_TRUE(test::waitUntil([&] {
        return PathList::read(PathList::kJobFolders) == QStringList({notMounted, nothingMounted});
    })) << "a disk may come back";
}

TEST_F(JobStoreTest, AJobThatAnotherWindowHasResumedIsNotForgotten) {
    JobStore here(GANTRY_PROGRAM);
    const QString folder = here.start(longJob("volume.mha"));
    ASSERT_TRUE(waitForProgress(here, folder));
    end(here);
    JobStore other(GANTRY_PROGRAM);
    other.adopt(readJobEntry(folder).value());
    ASSERT_EQ(other.find(folder)->status.state, JobState::cancelled);
    here.resume(folder);
    ASSERT_TRUE(waitFor(here, folder, JobState::running));
    const test::Heard heard(other);
    other.forget(folder);
    ASSERT_NE(other.find(folder), nullptr);
    EXPECT_EQ(other.find(folder)->status.state, JobState::running);
    EXPECT_TRUE(heard.has(Message::Kind::warning, "another window has resumed it"));
    end(here);
    // It is followed again.
    ASSERT_TRUE(waitFor(other, folder, JobState::cancelled));
    other.forget(folder);
    EXPECT_EQ(other.find(folder), nullptr);
}

TEST_F(JobStoreTest, ADamagedRequestIsAFailedJob) {
    const JobSpec spec = quickJob("volume.mha");
    const fs::path folder = jobFolderFor(spec.output.path);
    (void)JobDirectory::create(folder, spec);
    writeFileAtomically(folder / "job.json", "{\"gantryJob\": 1, \"sca");
    JobStore store(GANTRY_PROGRAM);
    store.adopt(readJobEntry(toText(folder)).value());
    const JobEntry* job = store.find(toText(folder));
    EXPECT_EQ(job->status.state, JobState::failed);
    EXPECT_NE(job->status.message.find("job.json"), std::string::npos);
    EXPECT_EQ(job->name, "volume.mha");
}

TEST_F(JobStoreTest, OnlyJobsAreRead) {
    EXPECT_FALSE(readJobEntry(toText(m_folder.path())));
    EXPECT_FALSE(readJobEntry("/no/such/folder"));
}

}  // namespace
}  // namespace gantry
