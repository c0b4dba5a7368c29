#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <utility>

#include "core/base/types.h"
#include "core/engine/backends.h"
#include "core/geometry/vec3.h"
#include "ui/models/message.h"
#include "ui/workspace/background/measurement.h"
#include "ui/workspace/jobs/host_plan.h"
#include "ui/workspace/jobs/job_store.h"
#include "ui/workspace/path_list.h"
#include "ui/workspace/scan/found_scan.h"
#include "ui/workspace/scan/scan_document.h"
#include "ui/workspace/search/open_questions.h"
#include "ui/workspace/volume/comparison_document.h"
#include "ui/workspace/volume/volume_document.h"

namespace gantry {

/// What all panels show together: the view, the detector row, the job, the cross-hair. GUI thread
/// only.
class Selection : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    [[nodiscard]] Index view() const { return m_view; }
    [[nodiscard]] Index row() const { return m_row; }
    [[nodiscard]] const QString& jobFolder() const { return m_jobFolder; }
    [[nodiscard]] const QString& readout() const { return m_readout; }
    /// In the open volume, mm from the isocentre.
    [[nodiscard]] const Vec3& crossHairMm() const { return m_crossHairMm; }
    void setView(Index view);
    void setRow(Index row);
    void setJobFolder(const QString& folder);
    void setCrossHairMm(const Vec3& placeMm);
    /// The values under the pointer, for the status bar: "u 511.5  v 300.0  0.0213 /mm".
    void setReadout(const QString& text);

  signals:
    void viewChanged(gantry::Index view);
    void rowChanged(gantry::Index row);
    void jobFolderChanged(const QString& folder);
    void crossHairChanged(const gantry::Vec3& placeMm);
    void readoutChanged(const QString& text);

  private:
    Index m_view = 0;
    Index m_row = 0;
    QString m_jobFolder;
    Vec3 m_crossHairMm;
    QString m_readout;
};

/// What is open in the window: one scan with its edits, one volume, another one for comparison, the
/// selection and the jobs.
/// Panels interact only through it. GUI thread only.
/// Tests: tests/ui/workspace/workspace_test.cpp
class Workspace : public QObject {
    Q_OBJECT

  public:
    /// machine: known without asking a driver. program: this binary, which runs jobs and detects
    /// the machine's GPUs in separate processes.
    Workspace(Machine machine, const QString& program, QObject* parent = nullptr);

    /// It has no GPUs until they are found: machineChanged() follows.
    [[nodiscard]] const Machine& machine() const { return m_machine; }
    [[nodiscard]] bool isLookingForGpus() const { return m_isLookingForGpus; }
    /// Sets the machine's GPUs and their free memory, as a measurement found them.
    void takeGpus(const Measured& measured);
    [[nodiscard]] const QString& program() const { return m_program; }
    [[nodiscard]] ScanDocument& scan() { return m_scan; }
    [[nodiscard]] VolumeDocument& volume() { return m_volume; }
    [[nodiscard]] ComparisonDocument& comparison() { return m_comparison; }
    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] JobStore& jobs() { return m_jobs; }
    [[nodiscard]] HostPlan& hosts() { return m_hosts; }
    [[nodiscard]] OpenQuestions& openQuestions() { return m_openQuestions; }

    /// Opens any path that the program knows: a scan, a folder of images, a volume, a job's folder
    /// (its request, its timeline and, if it is done, its volume), an RTK geometry.
    void open(const QString& path);
    /// Opens a file that open() takes for a volume as the projections of a scan.
    void openAsProjections(const QString& path);
    /// Opens one of the scans of a file: see ScanDocument::entriesFound().
    void openEntry(const QString& path, const QString& entry);
    /// Fetches the file of a scan on a host, and opens it: see bringScan().
    void openOnHost(const Host& host, const QString& place);
    /// Opens the request of a job ("run again with changes").
    void openRequest(const JobSpec& spec) {
        if (mayReplaceScan()) m_scan.openRequest(spec);
    }
    /// Sets the function called before another scan replaces the open one: it applies pending
    /// edits, and asks the user if edits are not saved; false keeps the scan.
    void setAskBeforeReplacing(std::function<bool()> ask) { m_askBeforeReplacing = std::move(ask); }
    /// Scans, volumes and jobs that open() has opened and that still exist, newest first. Found in
    /// the background: empty before the first recentFilesChanged().
    [[nodiscard]] QStringList recentFiles() const;
    void clearRecentFiles();

  signals:
    void machineChanged();
    void recentFilesChanged();
    void messageRaised(const gantry::Message& message);  ///< from any of its parts
    void withdrawn(const QString& topic);  ///< earlier messages on that topic no longer hold
    void succeeded();   ///< something was opened: complaints about earlier attempts are outdated
    void showVolume();  ///< a volume was opened: bring it to the front
    void showProjections();                  ///< a scan was opened
    void showJobLog(const QString& folder);  ///< the user wants to see the log of a job

  private:
    void lookForGpus();
    void takeNoGpu(const QString& why);
    void openRecognised(const Recognised& found);
    void openJob(const Recognised& job);
    void openVolume(const QString& path);
    void offerProjections();
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
    OpenQuestions m_openQuestions{m_scan};
    Measurement m_lookingForGpus;
    Background m_recognising;
    Background m_checkingRecent;
    QStringList m_reportedJobs;         // whose end was reported
    QHash<QString, qint64> m_previews;  // of jobs by folder, if they are followed
    static constexpr qsizetype kMaxFiles = 12;
    PathList m_recent{PathList::kRecentFiles, kMaxFiles, PathList::read(PathList::kRecentFiles)};
    QStringList m_presentFiles;  // those of the recent files that exist, as far as checked
    QString m_volumeToRemember;  // when it has been read
};

}  // namespace gantry
