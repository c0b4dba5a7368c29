#include "ui/workspace/workspace.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFileInfo>
#include <QLockFile>
#include <QSettings>
#include <QSignalSpy>
#include <algorithm>

#include "core/base/file.h"
#include "core/job/event_log.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// Without the files and jobs of the test before it.
struct FreshSettings {
    FreshSettings() { QSettings().clear(); }
};

class WorkspaceTest : public testing::Test {
  protected:
    fs::path makeVolume(const std::string& name) {
        test::writeVolume(m_folder / name, test::smallGrid(),
                          [](Index x, Index, Index) { return static_cast<float>(x); });
        return m_folder / name;
    }
    // A finished job of the scan. @returns its folder
    fs::path makeJob(const fs::path& scan, const std::string& output) {
        const JobSpec spec = test::jobOf(readScanFile(scan), 12, m_folder / output);
        (void)test::run(spec);
        return jobFolderFor(spec.output.path);
    }
    bool isOpen(const fs::path& scan) {
        return test::waitUntil([&] {
            return m_workspace.scan().openScan() &&
                   m_workspace.scan().request().job.scan.path == scan;
        });
    }
    bool isShown(const fs::path& volume) {
        return test::waitUntil([&] {
            const auto loaded = m_workspace.volume().volume();
            return loaded && loaded->path == toText(volume);
        });
    }

    FreshSettings m_settings;
    test::TemporaryFolder m_folder;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    test::Heard<Workspace> m_heard{m_workspace};
};

TEST_F(WorkspaceTest, OpensAScanByItsFolder) {
    QSignalSpy projections(&m_workspace, &Workspace::showProjections);
    const fs::path scan = test::makeScan(m_folder / "Nuß 'a' \"b\"");
    m_workspace.open(toText(scan.parent_path()) + "/");
    ASSERT_TRUE(isOpen(scan));
    EXPECT_EQ(projections.count(), 1);
    EXPECT_EQ(m_workspace.recentFiles(), QStringList{toText(scan.parent_path())});
    EXPECT_EQ(m_heard.count(), 0U);
}

TEST_F(WorkspaceTest, AStackOfCountsIsAVolumeThatMayBeOpenedAsProjections) {
    const fs::path stack = m_folder / "stack.mha";
    test::writeCounts(stack, {16, 12, 9});
    m_workspace.open(toText(stack));
    ASSERT_TRUE(isShown(stack));
    ASSERT_EQ(m_heard.count(), 1U);
    EXPECT_EQ(m_heard.last().text,
              "stack.mha is shown as a volume. Its 9 images may also be projections.");
    ASSERT_EQ(m_heard.last().actionText, "Open as projections");
    const QSignalSpy withdrawn(&m_workspace, &Workspace::withdrawn);
    m_heard.last().action();
    ASSERT_TRUE(test::waitUntil([&] { return m_workspace.scan().openScan() != nullptr; }));
    EXPECT_EQ(m_workspace.scan().geometry().views(), 9);
    // The question belongs to that volume.
    const fs::path volume = makeVolume("volume.mha");
    m_workspace.open(toText(volume));
    ASSERT_TRUE(isShown(volume));
    ASSERT_FALSE(withdrawn.isEmpty());
    EXPECT_EQ(withdrawn.back()[0].toString(), "openAsProjections");
    EXPECT_EQ(m_heard.count(), 1U);
}

TEST_F(WorkspaceTest, OpensARelativePath) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    m_workspace.open(QDir::current().relativeFilePath(toText(scan)));
    ASSERT_TRUE(isOpen(scan));
    EXPECT_EQ(m_workspace.recentFiles(), QStringList{toText(scan)});
}

TEST_F(WorkspaceTest, OpensAVolume) {
    QSignalSpy shown(&m_workspace, &Workspace::showVolume);
    const fs::path volume = makeVolume("ä \"b\".mha");
    m_workspace.open(toText(volume));
    ASSERT_TRUE(isShown(volume));
    EXPECT_EQ(shown.count(), 1);
    EXPECT_FALSE(m_workspace.scan().hasScan());
    EXPECT_EQ(m_workspace.recentFiles(), QStringList{toText(volume)});
}

TEST_F(WorkspaceTest, OpensTheTimelineOfASimulatedRun) {
    writeSimulatedEvents(m_folder / "run", {}, 3);
    m_workspace.open(toText(m_folder / "run"));
    EXPECT_TRUE(test::waitUntil(
        [&] { return m_workspace.selection().jobFolder() == toText(m_folder / "run"); }));
    EXPECT_EQ(m_heard.count(), 0U);
}

TEST_F(WorkspaceTest, OpensAFinishedJobWithItsRequestAndVolume) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const fs::path job = makeJob(scan, "a.mha");
    m_workspace.open(toText(job / "job.json"));
    ASSERT_TRUE(isShown(m_folder / "a.mha"));
    ASSERT_TRUE(isOpen(scan));
    EXPECT_EQ(m_workspace.scan().request().job.volume.voxels[0], 12);
    EXPECT_EQ(m_workspace.selection().jobFolder(), toText(job));
    EXPECT_TRUE(m_workspace.jobs().find(toText(job)));
    EXPECT_EQ(m_workspace.recentFiles(), QStringList{toText(job)});
}

TEST_F(WorkspaceTest, AJobDoesNotTakeThePlaceOfAnotherScan) {
    const fs::path first = test::makeScan(m_folder / "first");
    const fs::path second = test::makeScan(m_folder / "second");
    const fs::path job = makeJob(second, "a.mha");
    m_workspace.open(toText(first));
    ASSERT_TRUE(isOpen(first));
    m_workspace.open(toText(job));
    ASSERT_TRUE(isShown(m_folder / "a.mha"));
    EXPECT_EQ(m_workspace.scan().request().job.scan.path, first);
    ASSERT_TRUE(m_heard.has(Message::Kind::info, "another scan"));
    m_heard.last().action();
    EXPECT_TRUE(isOpen(second));
}

TEST_F(WorkspaceTest, AJobDoesNotTakeThePlaceOfUnsavedEdits) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const fs::path job = makeJob(scan, "a.mha");
    m_workspace.open(toText(scan));
    ASSERT_TRUE(isOpen(scan));
    Request request = m_workspace.scan().request();
    request.job.filter.window = FilterWindow::hann;
    m_workspace.scan().edit(request, "Change filter");
    m_workspace.open(toText(job));
    ASSERT_TRUE(isShown(m_folder / "a.mha"));
    EXPECT_EQ(m_workspace.scan().request().job.filter.window, FilterWindow::hann);
    EXPECT_TRUE(m_heard.has(Message::Kind::info, "not saved"));
}

TEST_F(WorkspaceTest, NothingIsSaidWhereTheEditsAreThoseOfTheJob) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const fs::path job = makeJob(scan, "a.mha");
    m_workspace.open(toText(scan));
    ASSERT_TRUE(isOpen(scan));
    Request request = m_workspace.scan().request();
    const fs::path output = request.job.output.path;
    request.job = readJobRequest(job);
    request.job.output.path = output;
    request.volumeIsFitted = false;
    m_workspace.scan().edit(request, "Change volume");
    m_workspace.open(toText(job));
    ASSERT_TRUE(isShown(m_folder / "a.mha"));
    EXPECT_EQ(m_heard.count(), 0U);
}

TEST_F(WorkspaceTest, SaysWhatCannotBeOpened) {
    fs::create_directory(m_folder / "broken.job");
    writeFileAtomically(m_folder / "broken.job" / "job.json", "{\"gantryJob\": 99}");
    writeFileAtomically(m_folder / "letter.txt", "Dear reader");
    m_workspace.open("");
    for (const char* name : {"missing.tif", "broken.job", "letter.txt", "missing.xml"}) {
        const QString path = toText(m_folder / name);
        m_workspace.open(path);
        EXPECT_TRUE(test::waitUntil([&] { return m_heard.hasError(path); })) << name;
    }
    EXPECT_TRUE(m_workspace.recentFiles().isEmpty());
}

TEST_F(WorkspaceTest, AJobWhoseVolumeIsGoneStillOpens) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const fs::path job = makeJob(scan, "a.mha");
    fs::remove(m_folder / "a.mha");
    m_workspace.open(toText(job));
    EXPECT_TRUE(isOpen(scan));
    EXPECT_TRUE(m_heard.has(Message::Kind::warning, "no longer there"));
}

TEST_F(WorkspaceTest, RemembersTheLatestFilesThatAreStillThere) {
    for (int i = 0; i < 14; ++i) {
        const fs::path volume = makeVolume(std::to_string(i) + ".mha");
        m_workspace.open(toText(volume));
        ASSERT_TRUE(isShown(volume));
    }
    m_workspace.open(toText(m_folder / "5.mha"));
    ASSERT_TRUE(isShown(m_folder / "5.mha"));
    QStringList recent = m_workspace.recentFiles();
    EXPECT_EQ(recent.size(), 12);
    EXPECT_EQ(recent[0], toText(m_folder / "5.mha"));
    EXPECT_EQ(recent[1], toText(m_folder / "13.mha"));
    fs::remove(m_folder / "13.mha");
    m_workspace.open(toText(m_folder / "13.mha"));
    EXPECT_TRUE(test::waitUntil([this] { return m_workspace.recentFiles().size() == 11; }));
    Workspace next(m_machine.machine(), m_machine.program());
    EXPECT_TRUE(test::waitUntil([&] { return next.recentFiles().size() == 11; }));
    QSignalSpy changed(&m_workspace, &Workspace::recentFilesChanged);
    m_workspace.clearRecentFiles();
    EXPECT_TRUE(m_workspace.recentFiles().isEmpty());
    EXPECT_EQ(changed.count(), 1);
}

TEST_F(WorkspaceTest, SettingsThatCannotBeWrittenYetHoldNothingUp) {
    const fs::path volume = makeVolume("a.mha");
    const QString settings = QFileInfo(QSettings().fileName()).path();
    ASSERT_TRUE(QDir().mkpath(settings));
    QLockFile lock(settings + "/lists.lock");
    ASSERT_TRUE(lock.tryLock());
    m_workspace.open(toText(volume));
    ASSERT_TRUE(isShown(volume));
    EXPECT_EQ(m_workspace.recentFiles(), QStringList{toText(volume)});
    EXPECT_FALSE(QSettings().contains(PathList::kRecentFiles));
    lock.unlock();
    EXPECT_TRUE(test::waitUntil(
        [&] { return PathList::read(PathList::kRecentFiles) == QStringList{toText(volume)}; }));
}

TEST_F(WorkspaceTest, TheSelectionStaysWithinTheScan) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    m_workspace.selection().setView(500);
    m_workspace.open(toText(scan));
    ASSERT_TRUE(isOpen(scan));
    EXPECT_EQ(m_workspace.selection().view(), 0);
    EXPECT_EQ(m_workspace.selection().row(), 8);
    m_workspace.selection().setView(17);
    Request request = m_workspace.scan().request();
    request.job.scan.geometry.cone().views = 9;
    m_workspace.scan().edit(request, "Change views");
    EXPECT_EQ(m_workspace.selection().view(), 8);
}

TEST_F(WorkspaceTest, ALongJobShowsItsPreviewWhereNothingElseIsOpen) {
    const ScanFile scan = test::simulated(test::smallScan(60, 64, 48, 410), m_folder / "scan");
    JobSpec spec = test::jobOf(scan, 400, m_folder / "v.mha");
    spec.cpuKernel = kReferenceKernel;
    spec.threads = 1;
    spec.batchViews = 2;
    const QString folder = m_workspace.jobs().start(spec);
    const JobEntry* job = m_workspace.jobs().find(folder);
    ASSERT_TRUE(isShown(toPath(job->preview())));
    const auto shown = m_workspace.volume().volume();
    EXPECT_LE(shown->grid.voxels[0], 128);
    EXPECT_NEAR(shown->grid.pitchMm[0] / spec.volume.pitchMm[0], 4, 1e-9);
    EXPECT_GT(shown->window.white, 0.005);
    // It is written again as slabs land: the window that was set stays.
    const GreyWindow window{-0.003, 0.017};
    m_workspace.volume().setWindow(window);
    m_workspace.volume().follow(job->preview());
    EXPECT_TRUE(test::waitUntil([&] { return m_workspace.volume().volume() != shown; }));
    EXPECT_EQ(m_workspace.volume().window(), window);
    m_workspace.jobs().cancel(folder);
    EXPECT_TRUE(test::waitUntil(
        [&] { return m_workspace.jobs().find(folder)->status.state == JobState::cancelled; }));
}

TEST_F(WorkspaceTest, TellsThatAJobIsDoneAndShowsItsVolume) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const JobSpec spec = test::jobOf(readScanFile(scan), 12, m_folder / "a.mha");
    ASSERT_FALSE(m_workspace.jobs().start(spec).isEmpty());
    ASSERT_TRUE(test::waitUntil([&] { return m_heard.has(Message::Kind::info, "finished in"); }));
    EXPECT_TRUE(m_heard.last().text.startsWith("walnut finished in "))
        << m_heard.last().text.toStdString();
    m_heard.last().action();
    EXPECT_TRUE(isShown(m_folder / "a.mha"));
}

TEST_F(WorkspaceTest, TellsThatAJobHasFailedAndOffersItsLog) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const JobSpec spec = test::jobOf(readScanFile(scan), 12, m_folder / "a.mha");
    fs::remove_all(scan.parent_path() / "proj");
    QSignalSpy log(&m_workspace, &Workspace::showJobLog);
    const QString folder = m_workspace.jobs().start(spec);
    ASSERT_TRUE(test::waitUntil([&] { return m_heard.hasError("failed"); }));
    EXPECT_EQ(m_heard.last().secondText, "Show the log");
    ASSERT_TRUE(m_heard.last().secondAction);
    m_heard.last().secondAction();
    ASSERT_EQ(log.count(), 1);
    EXPECT_EQ(log.first().first().toString(), folder);
}

TEST_F(WorkspaceTest, WhatWasToldOfAJobGoesWhenItIsResumedOrForgotten) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const JobSpec spec = test::jobOf(readScanFile(scan), 12, m_folder / "a.mha");
    const fs::path projections = scan.parent_path() / "proj";
    fs::rename(projections, scan.parent_path() / "away");
    QSignalSpy withdrawn(&m_workspace, &Workspace::withdrawn);
    const QString folder = m_workspace.jobs().start(spec);
    ASSERT_TRUE(test::waitUntil([&] { return m_heard.hasError("failed"); }));
    const Message failure = m_heard.last();
    EXPECT_EQ(failure.actionText, "Resume");
    EXPECT_EQ(failure.topic, jobTopic(folder));
    // A volume that is shown withdraws what was said of other things.
    const auto withdrawals = [&] {
        return std::ranges::count_if(withdrawn, [&](const QList<QVariant>& arguments) {
            return arguments.first().toString() == failure.topic;
        });
    };
    EXPECT_EQ(withdrawals(), 0);
    fs::rename(scan.parent_path() / "away", projections);
    failure.action();
    EXPECT_EQ(withdrawals(), 1);
    ASSERT_TRUE(test::waitUntil([&] { return m_heard.has(Message::Kind::info, "finished"); }));
    EXPECT_EQ(m_heard.last().topic, failure.topic);
    m_workspace.jobs().forget(folder);
    EXPECT_EQ(withdrawals(), 2);
}

TEST_F(WorkspaceTest, AFileIsRecentOnceByWhateverNameItWasOpened) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    fs::create_directory_symlink(m_folder / "scan", m_folder / "link");
    const QStringList names = {toText(scan), toText(scan.parent_path()) + "/.",
                               toText(m_folder / "link" / "scan.json")};
    for (const QString& name : names) {
        const QSignalSpy opened(&m_workspace.scan(), &ScanDocument::opened);
        m_workspace.open(name);
        ASSERT_TRUE(test::waitUntil([&] { return opened.count() == 1; }));
    }
    EXPECT_TRUE(test::waitUntil([&] { return m_workspace.recentFiles().size() == 1; }));
    EXPECT_EQ(m_workspace.recentFiles(), QStringList{names.back()});
    for (const QString& path : m_workspace.recentFiles())
        EXPECT_FALSE(path.endsWith("/.")) << path.toStdString();
}

TEST_F(WorkspaceTest, EndsAtAnyMoment) {
    const QString scan = toText(test::makeScan(m_folder / "scan"));
    const QString volume = toText(makeVolume("a.mha"));
    for (int i = 0; i < 40; ++i) {
        Workspace workspace(m_machine.machine(), m_machine.program());
        workspace.open(i % 2 == 0 ? scan : volume);
        test::pass(i % 10);
        workspace.open(i % 3 == 0 ? scan : volume);
        test::pass(i % 4);
    }
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(10'000));
}

TEST_F(WorkspaceTest, GpusAreFoundWhileTheWindowIsThere) {
    m_machine.setGpus(1);
    m_machine.setDelays(0, 60'000);
    Workspace workspace(m_machine.machine(), m_machine.program());
    const QSignalSpy changed(&workspace, &Workspace::machineChanged);
    EXPECT_TRUE(workspace.isLookingForGpus());
    EXPECT_TRUE(workspace.machine().gpu.devices.empty());
    EXPECT_NE(workspace.machine().whyNoGpu.find("still being looked for"), std::string::npos);
    m_machine.setDelays(0);
    ASSERT_TRUE(test::waitUntil([&] { return changed.count() == 1; }));
    EXPECT_FALSE(workspace.isLookingForGpus());
    ASSERT_EQ(workspace.machine().gpu.devices.size(), 1U);
    EXPECT_EQ(workspace.machine().gpu.devices.front().name, "Fake 100");
    EXPECT_EQ(workspace.machine().whyNoGpu, "");
}

TEST_F(WorkspaceTest, SaysWhyGpusCouldNotBeLookedFor) {
    Workspace workspace(m_machine.machine(), "/nowhere/gantry");
    ASSERT_TRUE(test::waitUntil([&] { return !workspace.isLookingForGpus(); }));
    EXPECT_TRUE(workspace.machine().gpu.devices.empty());
    EXPECT_NE(workspace.machine().whyNoGpu.find("/nowhere/gantry could not be started"),
              std::string::npos);
    EXPECT_NE(workspace.machine().whyNoGpu.back(), '.');
}

// A worker that says that it failed, in words that nothing may decide by.
std::string failingWorker(const fs::path& path, const std::string& code) {
    writeFileAtomically(path,
                        "#!/bin/sh\n[ \"$1\" = worker ] || exit 1\necho "
                        "'{\"event\":\"state\",\"state\":\"failed\",\"message\":"
                        "\"Zu voll.\"" +
                            code + "}' >> \"$2/events.jsonl\"\n");
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
}

TEST_F(WorkspaceTest, AJobThatFilledItsGpuIsOfferedWithLessOfIt) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const auto endOf = [&](const std::string& name, const std::string& code) {
        const std::string worker = failingWorker(m_folder / (name + ".sh"), code);
        Workspace workspace(m_machine.machine(), QString::fromStdString(worker));
        test::Heard<Workspace> heard(workspace);
        (void)workspace.jobs().start(test::jobOf(readScanFile(scan), 12, m_folder / name));
        EXPECT_TRUE(test::waitUntil([&] { return heard.has(Message::Kind::error, "Zu voll."); }));
        EXPECT_EQ(heard.last().actionText, "Resume");
        return heard.last().secondText;
    };
    EXPECT_EQ(endOf("a.mha", ",\"code\":\"deviceMemory\""), "Use less of the GPU");
    EXPECT_EQ(endOf("b.mha", ",\"code\":\"hostMemory\""), "Show the log");
    EXPECT_EQ(endOf("c.mha", ""), "Show the log");
}

}  // namespace
}  // namespace gantry
