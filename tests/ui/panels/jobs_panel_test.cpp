#include "ui/panels/jobs/jobs_panel.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>
#include <chrono>
#include <optional>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/job/job_file.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/own_host.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/job_reading.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

class JobsPanelTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        m_scan = readScanFile(test::makeScan(m_folder / "scan"));
        m_workspace = std::make_unique<Workspace>(m_machine.machine(), m_machine.program());
        m_panel = std::make_unique<JobsPanel>(*m_workspace);
        test::show(*m_panel, {1000, 220});
    }

    [[nodiscard]] JobSpec quickJob(const std::string& name) const {
        return test::jobOf(m_scan, 24, m_folder / name);
    }
    [[nodiscard]] JobSpec longJob(const std::string& name) const {
        return test::longJobOf(m_scan, m_folder / name);
    }
    // A job of another time, as its folder tells.
    QString past(const std::string& name, JobState state, const std::string& message,
                 const Progress& progress) {
        JobSpec spec = quickJob(name + ".mha");
        spec.scan.name = name;
        const JobDirectory job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
        EventLog events(job.file("events.jsonl"));
        events.state(JobState::running);
        events.log("info", "A full circle: every ray counts half.");
        if (progress.fraction > 0) events.progress(progress);
        events.state(state, message);
        const QString folder = toText(job.folder());
        m_workspace->jobs().adopt(readJobEntry(folder).value());
        return folder;
    }

    [[nodiscard]] JobStore& jobs() { return m_workspace->jobs(); }
    [[nodiscard]] QTableView& table() { return *m_panel->findChild<QTableView*>("jobs"); }
    [[nodiscard]] QAction& action(const char* name) { return *m_panel->findChild<QAction*>(name); }
    void click(const char* name) {
        auto* bar = m_panel->findChild<QToolBar*>("jobActions");
        QTest::mouseClick(bar->widgetForAction(&action(name)), Qt::LeftButton);
    }
    [[nodiscard]] QString cell(int row, JobTable::Column column) {
        return table().model()->index(row, column).data().toString();
    }
    // A job that is done comes into no other state.
    [[nodiscard]] bool waitForState(int row, const QString& state) {
        const auto shown = [&] { return cell(row, JobTable::stateColumn); };
        (void)test::waitUntil([&] { return shown() == state || shown() == "Done"; });
        return shown() == state;
    }
    void clickRow(int row) {
        const QModelIndex index = table().model()->index(row, JobTable::nameColumn);
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {},
                          table().visualRect(index).center());
    }

    test::TemporaryFolder m_folder;
    ScanFile m_scan;
    test::FakeMachine m_machine;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<JobsPanel> m_panel;
};

TEST_F(JobsPanelTest, WithoutJobsItSaysHowToGetOne) {
    EXPECT_FALSE(table().isVisible());
    EXPECT_FALSE(action("cancelJob").isEnabled());
    EXPECT_EQ(action("cancelJob").toolTip(), "Select a job first.");
    test::screenshots(*m_panel, "jobs-empty");
}

TEST_F(JobsPanelTest, AStartedJobIsShownSelectedAndItsVolumeOpens) {
    const QSignalSpy shown(m_workspace.get(), &Workspace::showVolume);
    const QString folder = jobs().start(quickJob("volume.mha"));
    m_workspace->selection().setJobFolder(folder);
    ASSERT_TRUE(table().isVisible());
    EXPECT_EQ(table().currentIndex().row(), 0);
    EXPECT_EQ(action("openResult").toolTip(), "There is a volume when the job is done.");
    ASSERT_TRUE(waitForState(0, "Done"));
    EXPECT_EQ(cell(0, JobTable::progressColumn), "100 %");
    EXPECT_TRUE(cell(0, JobTable::timeColumn).startsWith("took"));
    ASSERT_TRUE(action("openResult").isEnabled());
    EXPECT_FALSE(action("resumeJob").isEnabled());
    click("openResult");
    EXPECT_EQ(shown.count(), 1);
    // The job's preview may be there before.
    ASSERT_TRUE(test::waitUntil([&] {
        const auto& volume = m_workspace->volume().volume();
        return volume && volume->path == toText(m_folder / "volume.mha");
    }));
}

TEST_F(JobsPanelTest, AJobIsCancelledAndResumed) {
    JobSpec spec = longJob("volume.mha");
    spec.volume = fitGrid(m_scan.geometry, 160);  // a second, in which it is cancelled
    m_workspace->selection().setJobFolder(jobs().start(spec));
    ASSERT_TRUE(waitForState(0, "Running"));
    ASSERT_TRUE(action("cancelJob").isEnabled());
    EXPECT_EQ(action("forgetJob").toolTip(), "The job is under way: cancel it first.");
    click("cancelJob");
    EXPECT_EQ(cell(0, JobTable::stateColumn), "Cancelling");
    EXPECT_FALSE(action("cancelJob").isEnabled());
    ASSERT_TRUE(waitForState(0, "Cancelled"));
    ASSERT_TRUE(action("resumeJob").isEnabled());
    click("resumeJob");
    EXPECT_FALSE(action("resumeJob").isEnabled());
    EXPECT_TRUE(waitForState(0, "Done"));
}

TEST_F(JobsPanelTest, IterationsArePausedResumedAndStopped) {
    JobSpec spec = quickJob("volume.mha");
    spec.method.method = Method::sirt;
    spec.method.iterations = 100'000;
    const QString folder = jobs().start(spec);
    m_workspace->selection().setJobFolder(folder);
    // From the first state on that is kept.
    ASSERT_TRUE(test::waitUntil([&] { return action("cancelJob").text() == "Pause"; }));
    EXPECT_TRUE(action("cancelJob").toolTip().contains("last iteration that was kept"));
    click("cancelJob");
    EXPECT_EQ(cell(0, JobTable::stateColumn), "Pausing");
    ASSERT_TRUE(waitForState(0, "Paused")) << cell(0, JobTable::stateColumn).toStdString();
    EXPECT_FALSE(action("stopJob").isEnabled());
    EXPECT_TRUE(pathExists(toPath(folder) / kIterationState));
    EXPECT_FALSE(pathExists(m_folder / "volume.mha"));
    click("resumeJob");
    ASSERT_TRUE(waitForState(0, "Running"));
    ASSERT_TRUE(test::waitUntil([&] { return action("stopJob").isEnabled(); }));
    click("stopJob");
    ASSERT_TRUE(waitForState(0, "Done"));
    EXPECT_TRUE(pathExists(m_folder / "volume.mha"));
    EXPECT_EQ(action("cancelJob").text(), "Cancel");
}

// Killed, left for a while and resumed in its row: banner, table, timeline and log tell one time.
TEST_F(JobsPanelTest, AKilledJobIsResumedInItsRowAndAllTellItsTime) {
    const test::Heard heard(*m_workspace);
    JobSpec spec = longJob("volume.mha");
    spec.volume = fitGrid(m_scan.geometry, 128);
    const QString folder = jobs().start(spec);
    m_workspace->selection().setJobFolder(folder);
    ASSERT_TRUE(
        test::waitUntil([&] { return jobs().find(folder)->status.progress.fraction > 0.1; }));
    ::kill(*jobs().find(folder)->status.workerPid, SIGKILL);
    ASSERT_TRUE(waitForState(0, "Failed"));
    EXPECT_TRUE(heard.hasError("stopped unexpectedly (killed, or the computer restarted)"));
    EXPECT_TRUE(cell(0, JobTable::timeColumn).startsWith("after "));
    test::pass(1500);
    test::screenshots(*m_panel, "jobs-resume");
    auto* resume = table().findChild<QToolButton*>("resumeRow");
    ASSERT_NE(resume, nullptr);
    QTest::mouseClick(resume, Qt::LeftButton);
    ASSERT_TRUE(waitForState(0, "Done"));
    test::pass(20);
    EXPECT_EQ(table().findChild<QToolButton*>("resumeRow"), nullptr);
    const JobEvents events = readEvents(toPath(folder) / "events.jsonl");
    EXPECT_GT(events.work.pausedSeconds(), 1.4);
    const QString time = QString::fromStdString(formatDuration(events.work.seconds()));
    EXPECT_EQ(cell(0, JobTable::timeColumn), "took " + time);
    EXPECT_TRUE(heard.last().text.endsWith(" finished in " + time + "."))
        << heard.last().text.toStdString();
    ASSERT_FALSE(events.logs.empty());
    EXPECT_TRUE(events.logs.back().starts_with("info: Finished in " + time.toStdString()))
        << events.logs.back();
}

TEST_F(JobsPanelTest, ANameThatIsTypedIsKeptInTheFolder) {
    const QString folder = past("walnut", JobState::done, "", {1, 12, 0, 4.2});
    const QString usual = cell(0, JobTable::nameColumn);
    EXPECT_EQ(usual, "walnut");
    clickRow(0);
    QTest::keyClick(&table(), Qt::Key_F2);
    auto* editor = table().findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    editor->selectAll();
    QTest::keyClicks(editor, "the good one");
    // The job goes on meanwhile.
    emit jobs().changed(0);
    EXPECT_EQ(editor->text(), "the good one");
    QTest::keyClick(editor, Qt::Key_Return);
    EXPECT_TRUE(test::waitUntil([&] { return cell(0, JobTable::nameColumn) == "the good one"; }));
    ASSERT_TRUE(test::waitUntil([&] { return readJobName(toPath(folder)) == "the good one"; }));
    JobStore next(GANTRY_PROGRAM);
    next.adopt(readJobEntry(folder).value());
    EXPECT_EQ(next.find(folder)->name, "the good one");
    ASSERT_TRUE(test::waitUntil([&] { return !table().findChild<QLineEdit*>(); }));
    QTest::keyClick(&table(), Qt::Key_F2);
    editor = table().findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    editor->selectAll();
    QTest::keyClick(editor, Qt::Key_Delete);
    QTest::keyClick(editor, Qt::Key_Return);
    EXPECT_TRUE(test::waitUntil([&] { return cell(0, JobTable::nameColumn) == usual; }));
}

TEST_F(JobsPanelTest, AFailureIsSaidInFullAndInTheLog) {
    const std::string sentence = "/data: the disk is full; free 2.00 GB, or choose another place";
    past("walnut", JobState::failed, sentence, {0.4, 3, 4, 1.2});
    clickRow(0);
    const auto* message = m_panel->findChild<QLabel*>("jobMessage");
    EXPECT_TRUE(message->isVisible());
    EXPECT_EQ(message->text().toStdString(), sentence);
    click("showLog");
    auto* log = m_panel->findChild<QPlainTextEdit*>("logText");
    ASSERT_NE(log, nullptr);
    ASSERT_TRUE(test::waitUntil([&] { return !log->toPlainText().isEmpty(); }));
    EXPECT_TRUE(log->toPlainText().contains("every ray counts half"));
    const auto* state = log->window()->findChild<QLabel*>("logState");
    EXPECT_EQ(state->text().toStdString(), "Failed: " + sentence);
    auto* copy = log->window()->findChild<QPushButton*>("copyLog");
    QTest::mouseClick(copy, Qt::LeftButton);
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("the disk is full"));
    test::screenshots(*log->window(), "jobs-log");
    log->window()->close();
}

TEST_F(JobsPanelTest, TheRequestIsShownWithUnitsAndCopiedAsJson) {
    past("walnut", JobState::done, "", {1, 12, 0, 4.2});
    clickRow(0);
    click("showRequest");
    auto* values = m_panel->findChild<QTreeWidget*>("requestValues");
    ASSERT_NE(values, nullptr);
    ASSERT_TRUE(test::waitUntil([&] { return values->topLevelItemCount() > 0; }));
    const QList<QTreeWidgetItem*> found =
        values->findItems("Source–detector", Qt::MatchExactly | Qt::MatchRecursive);
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found[0]->text(1), "1200 mm");
    QTest::mouseClick(values->window()->findChild<QPushButton*>("copyRequest"), Qt::LeftButton);
    const std::string json = QGuiApplication::clipboard()->text().toStdString();
    EXPECT_EQ(parseJobSpec(json, "clipboard").scan.name, "walnut");
    test::screenshots(*values->window(), "jobs-request");
    values->window()->close();
}

TEST_F(JobsPanelTest, RunAgainOpensTheRequest) {
    past("walnut", JobState::done, "", {1, 12, 0, 4.2});
    clickRow(0);
    click("runAgain");
    ASSERT_TRUE(test::waitUntil([&] { return m_workspace->scan().hasScan(); }));
    EXPECT_EQ(m_workspace->scan().title(), "walnut");
    EXPECT_EQ(m_workspace->scan().request().job.volume.voxels[0], 24);
}

TEST_F(JobsPanelTest, SelectingARowShowsItsTimeline) {
    const QString a = past("a", JobState::done, "", {1, 12, 0, 4.2});
    const QString b = past("b", JobState::done, "", {1, 12, 0, 4.2});
    clickRow(1);
    EXPECT_EQ(m_workspace->selection().jobFolder(), a);
    QTest::keyClick(&table(), Qt::Key_Up);
    EXPECT_EQ(m_workspace->selection().jobFolder(), b);
    const QSignalSpy wanted(m_panel.get(), &JobsPanel::timelineWanted);
    click("showTimeline");
    EXPECT_EQ(wanted.count(), 1);
}

TEST_F(JobsPanelTest, UpdatesMoveNothingUnderTheEyes) {
    for (int i = 0; i < 30; ++i)
        past("scan " + std::to_string(i), JobState::done, "", {1, 12, 0, 4.2});
    const QString folder = jobs().start(longJob("volume.mha"));
    clickRow(3);
    const QString chosen = m_workspace->selection().jobFolder();
    table().verticalScrollBar()->setValue(12);
    ASSERT_TRUE(waitForState(0, "Running"));
    ASSERT_TRUE(test::waitUntil([&] { return jobs().find(folder)->status.progress.fraction > 0; }));
    EXPECT_EQ(table().verticalScrollBar()->value(), 12);
    EXPECT_EQ(m_workspace->selection().jobFolder(), chosen);
    EXPECT_EQ(table().selectionModel()->selectedRows().size(), 1);
    jobs().cancel(folder);
    EXPECT_TRUE(waitForState(0, "Cancelled"));
}

TEST_F(JobsPanelTest, ForgettingLeavesTheFiles) {
    const QString folder = past("walnut", JobState::done, "", {1, 12, 0, 4.2});
    clickRow(0);
    QTest::keyClick(&table(), Qt::Key_Delete);
    EXPECT_FALSE(table().isVisible());
    EXPECT_TRUE(pathExists(toPath(folder) / "job.json"));
}

TEST_F(JobsPanelTest, EveryStateCanBeToldApart) {
    past("tooth, 16-bit", JobState::cancelled, "", {0.34, 3, 4, 0.81});
    past("battery cell 18650", JobState::failed,
         "/data/scan/proj_0117.tif: the file ends in the middle of row 312; copy it again from "
         "the scanner, or leave the view out",
         {0.62, 8, 4, 1.31});
    past("walnut", JobState::done, "", {1, 12.4, 0, 1461});
    JobSpec spec = longJob("running.mha");
    spec.scan.name = "running shoe";
    const QString running = jobs().start(spec);
    ASSERT_TRUE(
        test::waitUntil([&] { return jobs().find(running)->status.progress.fraction > 0.02; }));
    spec = longJob("queued.mha");
    spec.scan.name = "amber with an insect";
    const QString queued = jobs().start(spec);
    ASSERT_TRUE(test::waitUntil([&] { return jobs().find(queued)->status.workerPid.has_value(); }));
    m_workspace->selection().setJobFolder(running);
    test::screenshots(*m_panel, "jobs");
    clickRow(3);
    test::screenshots(*m_panel, "jobs-failed");
    m_panel->resize(480, 220);
    test::screenshots(*m_panel, "jobs-narrow");
    jobs().cancel(queued);
    jobs().cancel(running);
    EXPECT_TRUE(test::waitUntil([&] { return jobs().activeCount() == 0; }));
}

TEST_F(JobsPanelTest, WhatTheColumnsShowFitsIntoThem) {
    past("shepp-logan phantom", JobState::done, "", {1, 12, 0, 1461});
    for (const int width : {480, 600, 940, 1260}) {
        m_panel->resize(width, 220);
        test::pass(20);
        test::screenshots(*m_panel, QString("jobs-%1").arg(width));
        EXPECT_EQ(table().horizontalScrollBar()->maximum(), 0) << width;
        for (int column = 0; column < JobTable::outputColumn; ++column) {
            if (table().isColumnHidden(column)) continue;
            const int text = table().fontMetrics().horizontalAdvance(
                cell(0, static_cast<JobTable::Column>(column)));
            EXPECT_LE(text, table().columnWidth(column)) << column << " at " << width;
        }
        for (const int column : {JobTable::nameColumn, JobTable::startedColumn,
                                 JobTable::stateColumn, JobTable::timeColumn})
            EXPECT_FALSE(table().isColumnHidden(column)) << column << " at " << width;
        EXPECT_EQ(table().isColumnHidden(JobTable::sizeColumn), width < 600) << width;
    }
}

TEST_F(JobsPanelTest, AHostsJobThatEndedCanGoOnElsewhere) {
    const test::OwnHost host;
    addHost(host.host("beside"));
    m_workspace->hosts().reload();
    ASSERT_TRUE(test::waitUntil([&] { return m_workspace->hosts().known().size() == 2; }));
    auto* menu = m_panel->findChild<QMenu*>("resumeElsewhere");
    past("own", JobState::cancelled, "", {});
    EXPECT_FALSE(menu->menuAction()->isVisible());
    const QString folder = past("hosted", JobState::cancelled, "", {});
    jobs().forget(folder);
    RemoteJob job;
    job.folder = toPath(folder);
    job.id = newJobId();
    job.host = "here";
    job.state = RemoteState::cancelled;
    keepRemoteJob(job);
    jobs().adopt(readJobEntry(folder).value());
    m_workspace->selection().setJobFolder(folder);
    ASSERT_TRUE(menu->menuAction()->isVisible());
    EXPECT_TRUE(menu->menuAction()->isEnabled());
    EXPECT_TRUE(table().actions().contains(menu->menuAction()));
    emit menu->aboutToShow();
    ASSERT_EQ(menu->actions().size(), 2);
    EXPECT_EQ(menu->actions()[0]->text(), "On this machine");
    EXPECT_EQ(menu->actions()[1]->text(), "On beside");
    menu->actions()[1]->trigger();
    ASSERT_TRUE(test::waitUntil([&] {
        const JobEntry* entry = jobs().find(folder);
        return entry->hosted->job.host == "beside" && stateText(*entry) == "Done";
    }));
    EXPECT_FALSE(menu->menuAction()->isEnabled());
    m_workspace->selection().setJobFolder(jobs().jobs().back().folder);
    EXPECT_FALSE(menu->menuAction()->isEnabled());
    EXPECT_TRUE(menu->menuAction()->toolTip().contains("this machine"));
}

class PicturesOfJobs : public JobsPanelTest {
  protected:
    // A job of long ago, of which the picture is the same whenever it is taken. @returns what holds
    // the folder of one that runs
    std::optional<JobDirectory> enter(const std::string& name, JobState state,
                                      const Progress& progress, const std::string& message = {}) {
        using namespace std::chrono;
        const JobSpec spec = quickJob(name + ".mha");
        std::optional job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
        const std::filesystem::path folder = job->folder();
        EventLog events(job->file("events.jsonl"));
        events.state(JobState::running);
        events.progress(progress);
        if (state != JobState::running) {
            events.state(state, message);
            job.reset();
        }
        writeJobName(folder, name);
        std::filesystem::last_write_time(
            folder / "job.json",
            file_clock::from_sys(sys_seconds(sys_days{2020y / February / 20} + 12h)));
        JobEntry entry = readJobEntry(toText(folder)).value();
        if (entry.status.workSeconds) entry.status.workSeconds = progress.elapsedSeconds;
        jobs().adopt(entry);
        return job;
    }
};

TEST_F(PicturesOfJobs, LookAsBefore) {
    (void)enter("tooth, 16-bit", JobState::cancelled, {0.34, 3, 4, 0.81});
    (void)enter("battery cell 18650", JobState::failed, {0.62, 8, 4, 1.31},
                "/data/scan/proj_0117.tif: the file ends in the middle of row 312");
    (void)enter("walnut", JobState::done, {1, 12.4, 0, 1461});
    const auto running = enter("running shoe", JobState::running, {0.71, 7.6, 3.1, 1461});
    m_workspace->selection().setJobFolder(toText(running->folder()));
    test::comparePictures(*m_panel, "jobs");
}

}  // namespace
}  // namespace gantry
