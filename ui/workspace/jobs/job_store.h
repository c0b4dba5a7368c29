#pragma once

#include <QHash>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <future>
#include <optional>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/plan/performance_model.h"
#include "ui/models/job/job_entry.h"
#include "ui/models/message.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/jobs/host_jobs.h"
#include "ui/workspace/jobs/job_reading.h"
#include "ui/workspace/path_list.h"

namespace gantry {

/// The jobs that this user's desktop knows, newest first: each is a folder, run by this machine or
/// by a host even when the desktop is closed (HostJobs). Jobs of this machine start in turn: each
/// waits for those before it. The list is kept in the settings and read again at the next start;
/// jobs that other windows have started, and those of hosts that the command line has, are added
/// automatically. GUI thread only.
/// Tests: tests/ui/workspace/job_store_test.cpp
class JobStore : public QObject {
    Q_OBJECT

  public:
    /// workerProgram: this binary. The list is read from the application's QSettings in the
    /// background; then reset() is emitted.
    explicit JobStore(const QString& workerProgram, QObject* parent = nullptr);
    /// Requested jobs are still started; running ones are not ended.
    ~JobStore() override;

    [[nodiscard]] const std::vector<JobEntry>& jobs() const { return m_jobs; }
    [[nodiscard]] const JobEntry* find(const QString& folder) const;
    [[nodiscard]] int activeCount() const;  ///< queued or running on this machine

    /// Creates the job's folder beside the output and starts its worker, both soon after. forecast:
    /// kept in the folder, to be compared with the measurement. @returns the folder, or an empty
    /// text after reporting why not; later failures are reported, and the job leaves the list
    /// order: of a host that is to run it; none: this machine runs it
    QString start(const JobSpec& spec, const std::optional<Forecast>& forecast = {},
                  const std::optional<HostOrder>& order = {});
    /// Adds a job made elsewhere to the list, without accessing the disk, which may be slow. entry:
    /// from readJobEntry()
    void adopt(const JobEntry& entry);
    void cancel(const QString& folder);  ///< asks the worker to end; it does within a second
    void resume(const QString& folder);
    /// Resumes a host's job on another host, or here: an empty name.
    void resumeElsewhere(const QString& folder, const QString& host);
    /// Fetches the volume of a host's job, or its preview.
    void fetch(const QString& folder, BringBack bring = BringBack::volume);
    /// Stored in the job's folder; an empty name restores the usual one.
    void rename(const QString& folder, const QString& name);
    void forget(const QString& folder);  ///< from the list only, not from the disk

  signals:
    void reset();           ///< the list is another one
    void changed(int row);  ///< progress, state
    /// A job was started or resumed in this desktop; other desktops and the command line have
    /// others.
    void started(const QString& folder);
    void finished(int row);  ///< an active job is done, failed or cancelled
    void messageRaised(const gantry::Message& message);

  private:
    // The work of this desktop on an active job.
    struct Run {
        bool isCreating = false;  // its folder is being created
        bool isNew = false;       // no earlier worker can wait for it
        bool isBegun = false;     // by this desktop
        QStringList after;        // the jobs that it waits for
    };
    struct Created {
        QString error{};                   // empty: it was created
        std::optional<JobEntry> former{};  // the job that existed there before
    };
    struct Creation {
        QString folder;
        std::future<Created> created;
        bool isDone = false;
    };

    [[nodiscard]] static Created createFolder(const JobSpec& spec,
                                              const std::optional<Forecast>& forecast,
                                              const std::optional<HostOrder>& order);
    // Jobs of hosts: see job_store_hosts.cpp
    void connectHosts();
    void follow(const JobEntry& entry);
    void takeSeen(const HostedJob& seen);
    void takeHosted(const HostedJob& seen);
    void showMoved(const QString& folder, double fraction);
    void showSilence(const QString& host, const QString& why);
    void beginHosted(JobEntry& entry);
    void showRemark(const QString& folder, const QString& sentence);
    void takeReleased(const QString& folder);
    void findNew();
    void takeFound(FoundJobs found);
    void leaveOutVanished(const QStringList& folders);
    void takeHere(const HostedJob& seen);
    void leaveOut(const JobEntry& job, bool isUnreachable);
    void setStatus(const QString& folder, JobStatus status);
    JobEntry& queueAgain(int row, const QString& message = {});
    void finishCreation(const QString& folder);
    void begin(const QString& folder);
    void giveUp(const QString& folder, const Created& created);
    void beginHere(const QString& folder);
    // See job_store_turns.cpp
    [[nodiscard]] QStringList jobsBefore(const QString& folder) const;
    [[nodiscard]] bool mayWaitFor(const QString& job, const QString& folder) const;

    [[nodiscard]] int rowOf(const QString& folder) const;
    void putFirst(const JobEntry& entry);
    void hide(const QString& folder);
    void drop(const QString& folder);
    void tellFailure(const QString& text);
    void keepName(const JobEntry& job);
    void writeInTurn(std::function<void()> work);

    std::vector<JobEntry> m_jobs;
    QHash<QString, Run> m_runs;
    std::vector<Creation> m_creations;
    static constexpr qsizetype kMaxJobs = 200;
    PathList m_list{PathList::kJobFolders, kMaxJobs};
    QThreadPool m_writing;  ///< one thread, so that names are written in order
    QTimer m_findSoon;      ///< for jobs that others have started
    Background m_finding;
    bool m_hasLoaded = false;   ///< the list was read once
    QSet<QString> m_forgotten;  ///< jobs that are not to be added again
    HostJobs m_hosts;
};

}  // namespace gantry
