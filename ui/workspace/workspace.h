#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <utility>

#include "core/engine/backends.h"
#include "ui/models/message.h"
#include "ui/workspace/comparison_document.h"
#include "ui/workspace/host_plan.h"
#include "ui/workspace/job_store.h"
#include "ui/workspace/measurement.h"
#include "ui/workspace/path_list.h"
#include "ui/workspace/recognise.h"
#include "ui/workspace/scan_document.h"
#include "ui/workspace/selection.h"
#include "ui/workspace/volume_document.h"

namespace gantry {

/// What is open in the window: one scan with its edits, one volume, another that it is compared
/// with, the selection and the jobs.
/// Panels see each other only through it. GUI thread only.
/// Tests: tests/ui/workspace/workspace_test.cpp
class Workspace : public QObject {
    Q_OBJECT

  public:
    /// machine: what is known of it without asking a driver. program: this binary, which works on
    /// jobs and looks for the machine's GPUs, in processes of its own.
    Workspace(Machine machine, const QString& program, QObject* parent = nullptr);

    /// Without GPUs until they are found: machineChanged() follows.
    [[nodiscard]] const Machine& machine() const { return m_machine; }
    [[nodiscard]] bool isLookingForGpus() const { return m_isLookingForGpus; }
    /// The machine's GPUs, and what they have free, as a measurement found them.
    void takeGpus(const Measured& measured);
    [[nodiscard]] const QString& program() const { return m_program; }
    [[nodiscard]] ScanDocument& scan() { return m_scan; }
    [[nodiscard]] VolumeDocument& volume() { return m_volume; }
    [[nodiscard]] ComparisonDocument& comparison() { return m_comparison; }
    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] JobStore& jobs() { return m_jobs; }
    [[nodiscard]] HostPlan& hosts() { return m_hosts; }

    /// Opens any path that the program knows: a scan, a folder of images, a volume, a job's folder
    /// (its request, its timeline and, where it is done, its volume), an RTK geometry.
    void open(const QString& path);
    /// Brings the file of a scan on a host, and opens that: see bringScan().
    void openOnHost(const Host& host, const QString& place);
    /// Takes the request of a job ("run again with changes").
    void openRequest(const JobSpec& spec);
    /// Asked before another scan takes the place of the open one: takes what is being typed, and
    /// asks the user where edits are not saved; false keeps the scan.
    void setAskBeforeReplacing(std::function<bool()> ask) { m_askBeforeReplacing = std::move(ask); }
    /// Scans, volumes and jobs that open() has opened and that are still there, newest first.
    /// Looked for in the background: none before the first recentFilesChanged().
    [[nodiscard]] QStringList recentFiles() const;
    void clearRecentFiles();

  signals:
    void machineChanged();
    void recentFilesChanged();
    void said(const gantry::Message& message);  ///< of any of its parts
    void withdrawn(const QString& topic);       ///< earlier messages on it no longer hold
    void showVolume();                          ///< a volume was opened: bring it to the front
    void showProjections();                     ///< a scan was opened
    void showJobLog(const QString& folder);     ///< the log of a job is asked for

  private:
    void lookForGpus();
    void takeNoGpu(const QString& why);
    void openRecognised(const Recognised& found);
    void openJob(const Recognised& job);
    void openVolume(const QString& path);
    void offerRequest(const JobSpec& request);
    void followPreview(const JobEntry& job);
    void tellEndOf(const JobEntry& job);
    [[nodiscard]] Message failureOf(const JobEntry& job);
    [[nodiscard]] Message endElsewhereOf(const JobEntry& job);
    void withdrawOutdated();
    void mend(const QString& folder);
    void remember(const QString& path);
    void checkRecentFiles();
    void keepSelectionInScan();

    [[nodiscard]] bool mayReplaceScan() const;

    Machine m_machine;
    bool m_isLookingForGpus = true;
    QString m_program;
    std::function<bool()> m_askBeforeReplacing;
    ScanDocument m_scan;
    VolumeDocument m_volume;
    ComparisonDocument m_comparison{m_volume};
    Selection m_selection;
    JobStore m_jobs;
    HostPlan m_hosts{m_scan};
    Measurement m_lookingForGpus;
    Background m_recognising;
    Background m_checkingRecent;
    QStringList m_reportedJobs;         // whose end was reported
    QHash<QString, qint64> m_previews;  // of jobs by folder, as far as they were followed
    static constexpr qsizetype kMostFiles = 12;
    PathList m_recent{PathList::kRecentFiles, kMostFiles, PathList::read(PathList::kRecentFiles)};
    QStringList m_presentFiles;  // of the recent ones, as far as was looked
    QString m_volumeToRemember;  // once it has been read
};

}  // namespace gantry
