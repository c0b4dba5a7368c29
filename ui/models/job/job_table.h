#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/models/job/job_entry.h"

namespace gantry {

/// Texts about a job, the same in the table and beside it.
[[nodiscard]] QString stateText(const JobEntry& job);  ///< "Running"
/// What it means to end the job now: a pause, or a new beginning.
[[nodiscard]] QString endHelp(const JobEntry& job);
[[nodiscard]] QString progressText(const JobEntry& job);  ///< "71 %"
/// "Iteration 7 of at most 20."; empty for FDK.
[[nodiscard]] QString iterationText(const JobEntry& job);
/// What happened to it, or its state; for a job of a host with the host's name before it: "cluster:
/// waits for 4 GPUs, place 3".
[[nodiscard]] QString messageText(const JobEntry& job);
/// "3.1 s left", "took 12.4 s", "after 3.2 s"
[[nodiscard]] QString timeText(const JobEntry& job);
/// How long a job ran that has ended, "12.4 s"; empty if it is not known.
[[nodiscard]] QString takenText(const JobEntry& job);
[[nodiscard]] QString speedText(const JobEntry& job);  ///< "1461 GUPS"
/// "14:05" for today, else "21 Nov 14:05", for another year "2024-11-21".
[[nodiscard]] QString startedText(const QDateTime& created, const QDateTime& now);

/// The usual name of a job, "walnut", and what it makes, for the table. The name of a job without a
/// scan's name is that of its volume.
void describe(JobEntry& entry, const JobSpec& spec);

/// Jobs in rows, newest first. Changes notify views of as little as possible, so that they keep
/// their selection and position. Tests: tests/ui/models/job_table_test.cpp
class JobTable : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        nameColumn,
        sizeColumn,
        startedColumn,
        stateColumn,
        progressColumn,
        timeColumn,
        speedColumn,
        outputColumn,
        columnTotal
    };
    enum Role {
        stateRole = Qt::UserRole,  ///< JobState as int, of every column
        fractionRole,              ///< 0 to 1
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// Sets the whole list: rows are inserted and removed where the lists differ.
    void setJobs(const std::vector<JobEntry>& jobs);
    void setJob(int row, const JobEntry& job);
    [[nodiscard]] const JobEntry* job(int row) const;
    [[nodiscard]] int rowOf(const QString& folder) const;  ///< -1: none
    [[nodiscard]] bool hasHosted() const;                  ///< whether any job runs on a host

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;
    /// Names can be edited.
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  signals:
    /// The user wants another name; empty: the usual one.
    void renamed(const QString& folder, const QString& name);

  private:
    [[nodiscard]] QString text(const JobEntry& job, int column) const;
    [[nodiscard]] QString toolTip(const JobEntry& job, int column) const;
    [[nodiscard]] bool keepsOrder(const std::vector<JobEntry>& jobs) const;

    std::vector<JobEntry> m_jobs;
};

}  // namespace gantry
