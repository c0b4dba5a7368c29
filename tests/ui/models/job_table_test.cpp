#include "ui/models/job/job_table.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>

namespace gantry {
namespace {

JobEntry job(const QString& folder, JobState state = JobState::running, double fraction = 0.5) {
    JobEntry entry;
    entry.folder = folder;
    entry.name = folder + " 512³";
    entry.output = "/data/" + folder + ".mha";
    entry.created = QDateTime::currentDateTime();
    entry.status.state = state;
    entry.status.progress = {fraction, 10, 3.14, 1461.4};
    if (state == JobState::done || state == JobState::failed) entry.status.workSeconds = 12.4;
    return entry;
}

QString cell(const JobTable& table, int row, JobTable::Column column) {
    return table.index(row, column).data().toString();
}

TEST(JobTable, SaysWhatAnOperatorWantsToKnow) {
    JobTable table;
    const QAbstractItemModelTester tester(&table);
    table.setJobs({job("walnut")});
    EXPECT_EQ(cell(table, 0, JobTable::nameColumn), "walnut 512³");
    EXPECT_EQ(cell(table, 0, JobTable::stateColumn), "Running");
    EXPECT_EQ(cell(table, 0, JobTable::progressColumn), "50 %");
    EXPECT_EQ(cell(table, 0, JobTable::timeColumn), "3.14 s left");
    EXPECT_EQ(cell(table, 0, JobTable::speedColumn), "1461 GUPS");
    EXPECT_EQ(cell(table, 0, JobTable::outputColumn), "walnut.mha");
    EXPECT_EQ(table.index(0, JobTable::outputColumn).data(Qt::ToolTipRole), "/data/walnut.mha");
}

TEST(JobTable, AFinishedJobTellsWhatItTook) {
    JobTable table;
    table.setJobs({job("walnut", JobState::done, 0.999)});
    EXPECT_EQ(cell(table, 0, JobTable::progressColumn), "100 %");
    EXPECT_EQ(cell(table, 0, JobTable::timeColumn), "took 12.4 s");
    table.setJobs({job("walnut", JobState::failed)});
    EXPECT_EQ(cell(table, 0, JobTable::timeColumn), "after 12.4 s");
}

TEST(JobTable, AJobOfAHostSaysWhereItStands) {
    JobEntry entry = job("walnut", JobState::queued, 0);
    entry.hosted.emplace();
    entry.hosted->job.host = "abci";
    entry.hosted->moving = HostedPart::Moving::sending;
    entry.hosted->fraction = 0.25;
    JobTable table;
    table.setJobs({entry});
    EXPECT_TRUE(table.hasHosted());
    EXPECT_EQ(cell(table, 0, JobTable::stateColumn), "Sending");
    EXPECT_EQ(cell(table, 0, JobTable::progressColumn), "25 %");
    entry.hosted->remark = "Another job sends the same files to abci; this one waits for it.";
    EXPECT_EQ(messageText(entry),
              "abci: Another job sends the same files to abci; this one waits for it.");
    entry.hosted->remark.clear();
    entry.hosted->moving = HostedPart::Moving::nothing;
    entry.hosted->job.state = RemoteState::waiting;
    entry.status.message = "waits for 4 GPUs, place 3";
    EXPECT_EQ(stateText(entry), "Waiting");
    EXPECT_EQ(messageText(entry), "abci: waits for 4 GPUs, place 3");
    entry.hosted->silence = "abci cannot be reached.";
    EXPECT_EQ(stateText(entry), "Not reached");
    entry.status.state = JobState::running;
    entry.hosted->lastHeard = QDateTime(QDate::currentDate(), {14, 5});
    EXPECT_EQ(stateText(entry), "Not reached since 14:05");
    EXPECT_EQ(timeText(entry), "");
    EXPECT_EQ(messageText(entry),
              "abci: waits for 4 GPUs, place 3. That is what was last known: abci cannot be "
              "reached.");
    entry.status.state = JobState::done;
    entry.hosted->job.state = RemoteState::done;
    EXPECT_EQ(stateText(entry), "Done there");
    EXPECT_TRUE(entry.isFetchable());
    EXPECT_FALSE(entry.hasVolume());
    entry.hosted->job.isFetched = true;
    EXPECT_EQ(stateText(entry), "Done");
    EXPECT_TRUE(entry.hasVolume());
    entry.status.state = JobState::failed;
    entry.hosted->job.state = RemoteState::stopped;
    EXPECT_EQ(stateText(entry), "Stopped");
    EXPECT_TRUE(entry.isResumable());
}

TEST(JobTable, WhatIsNotKnownIsNotSaid) {
    JobEntry entry = job("walnut", JobState::queued, 0);
    entry.status.progress = {std::nan(""), 0, -1, std::nan("")};
    JobTable table;
    table.setJobs({entry});
    EXPECT_EQ(cell(table, 0, JobTable::progressColumn), "0 %");
    EXPECT_EQ(cell(table, 0, JobTable::timeColumn), "");
    EXPECT_EQ(cell(table, 0, JobTable::speedColumn), "");
    EXPECT_EQ(table.index(0, 0).data(JobTable::fractionRole).toDouble(), 0);
}

TEST(JobTable, WhatIsNotCompleteIsNotSaidToBe) {
    EXPECT_EQ(progressText(job("walnut", JobState::running, 0.9999)), "99 %");
    EXPECT_EQ(progressText(job("walnut", JobState::failed, 7)), "100 %");
}

TEST(JobTable, AFailedJobHasItsReasonAsToolTip) {
    JobEntry entry = job("walnut", JobState::failed);
    entry.status.message = "The disk is full.";
    JobTable table;
    table.setJobs({entry});
    EXPECT_EQ(table.index(0, JobTable::stateColumn).data(Qt::ToolTipRole), "The disk is full.");
}

TEST(JobTable, KeepsHoldOfARowWhileOthersComeAndGo) {
    JobTable table;
    const QAbstractItemModelTester tester(&table);
    table.setJobs({job("b"), job("a")});
    const QPersistentModelIndex held(table.index(1, 0));
    const QSignalSpy resets(&table, &JobTable::modelReset);
    table.setJobs({job("c"), job("b"), job("a")});
    EXPECT_EQ(held.row(), 2);
    table.setJobs({job("c"), job("a")});
    EXPECT_EQ(held.row(), 1);
    EXPECT_EQ(held.data(), "a 512³");
    EXPECT_EQ(resets.count(), 0);
    // Another order cannot be told by putting in and taking out.
    table.setJobs({job("a"), job("c")});
    EXPECT_EQ(cell(table, 0, JobTable::nameColumn), "a 512³");
    EXPECT_EQ(table.rowOf("c"), 1);
    EXPECT_EQ(table.rowOf("b"), -1);
}

TEST(JobTable, AChangeIsOfItsRowAlone) {
    JobTable table;
    table.setJobs({job("b"), job("a")});
    const QSignalSpy changes(&table, &JobTable::dataChanged);
    table.setJob(1, job("a", JobState::done));
    ASSERT_EQ(changes.count(), 1);
    EXPECT_EQ(changes[0][0].toModelIndex().row(), 1);
    EXPECT_EQ(changes[0][1].toModelIndex().row(), 1);
    EXPECT_EQ(cell(table, 1, JobTable::stateColumn), "Done");
    table.setJob(7, job("x"));
    EXPECT_EQ(table.rowCount(), 2);
}

TEST(JobTable, TellsTheTimeAsShortAsItCan) {
    const QDateTime now({2026, 11, 21}, {16, 30});
    EXPECT_EQ(startedText(QDateTime({2026, 11, 21}, {14, 5}), now), "14:05");
    EXPECT_EQ(startedText(QDateTime({2025, 3, 2}, {14, 5}), now), "2025-03-02");
    EXPECT_TRUE(startedText(QDateTime({2026, 3, 2}, {14, 5}), now).contains("14:05"));
    EXPECT_EQ(startedText({}, now), "");
}

TEST(JobTable, AFolderOfSlicesHasItsNameToo) {
    JobEntry entry = job("walnut");
    entry.output = "/data/slices/";
    JobTable table;
    table.setJobs({entry});
    EXPECT_EQ(cell(table, 0, JobTable::outputColumn), "slices");
}

TEST(JobTable, AJobsNameIsShortAndItsSizeHasAColumn) {
    JobSpec spec;
    spec.scan.name = "walnut";
    spec.volume.voxels = {512, 512, 300};
    spec.filter.window = FilterWindow::hann;
    spec.output.path = "/data/walnut-2.mha";
    JobEntry entry;
    describe(entry, spec);
    EXPECT_EQ(entry.name, "walnut");
    JobTable table;
    table.setJobs({entry});
    EXPECT_EQ(cell(table, 0, JobTable::nameColumn), "walnut");
    EXPECT_EQ(cell(table, 0, JobTable::sizeColumn), "512 × 512 × 300");
    EXPECT_TRUE(table.index(0, JobTable::nameColumn)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .startsWith("walnut 512 × 512 × 300 Hann\n"));
    spec.volume.voxels = {512, 512, 512};
    spec.scan.name.clear();
    JobEntry nameless;
    describe(nameless, spec);
    EXPECT_EQ(nameless.size, "512³");
    EXPECT_EQ(nameless.name, "walnut-2.mha");
    JobEntry named;
    named.name = "the good one";
    describe(named, spec);
    EXPECT_EQ(named.name, "the good one");
    EXPECT_EQ(named.usualName, "walnut-2.mha");
}

TEST(JobTable, ANameCanBeEdited) {
    JobTable table;
    table.setJobs({job("walnut")});
    const QSignalSpy renamed(&table, &JobTable::renamed);
    const QModelIndex name = table.index(0, JobTable::nameColumn);
    EXPECT_TRUE(table.flags(name).testFlag(Qt::ItemIsEditable));
    EXPECT_FALSE(table.flags(table.index(0, JobTable::outputColumn)).testFlag(Qt::ItemIsEditable));
    EXPECT_TRUE(table.setData(name, "walnut 512³", Qt::EditRole));
    EXPECT_EQ(renamed.count(), 0);
    EXPECT_TRUE(table.setData(name, "  the good\none ", Qt::EditRole));
    ASSERT_EQ(renamed.count(), 1);
    EXPECT_EQ(renamed[0], (QVariantList{"walnut", "the good one"}));
    // Only its text, and only where there is a job.
    EXPECT_FALSE(table.setData(name, "a tip", Qt::ToolTipRole));
    EXPECT_FALSE(table.setData({}, "nobody", Qt::EditRole));
    EXPECT_EQ(renamed.count(), 1);
}

TEST(JobTable, TitlesStandAboveTheirColumns) {
    JobTable table;
    table.setJobs({job("walnut")});
    const auto title = [&](int column) {
        return table.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
    };
    for (int column = 0; column < table.columnCount(); ++column)
        EXPECT_EQ(title(column), table.index(0, column).data(Qt::TextAlignmentRole).toInt());
    for (const int column : {JobTable::timeColumn, JobTable::speedColumn})
        EXPECT_TRUE(title(column) & Qt::AlignRight) << column;
    EXPECT_TRUE(title(JobTable::nameColumn) & Qt::AlignLeft);
}

}  // namespace
}  // namespace gantry
