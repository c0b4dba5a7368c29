#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <vector>

#include "core/recon/job_spec.h"
#include "core/recon/job_status.h"
#include "ui/models/message.h"
#include "ui/workspace/background.h"

namespace gantry {

/// A job as the table shows it.
struct JobEntry {
    QString folder;  ///< its identity
    QString name;    ///< "walnut 512³"
    QString output;  ///< the volume's path
    QDateTime created;
    JobStatus status;
};

/// The jobs that this user's desktop knows, newest first: each a folder, worked on by a process of
/// its own (`gantry worker`) that goes on when the desktop closes. Jobs start in turn: each worker
/// waits for those before it. The list is kept in the settings and read again at the next start.
/// Folders are looked at in the background a few times a second while something is under way.
/// GUI thread only.
/// Tests: tests/ui/workspace/job_store_test.cpp
class JobStore : public QObject {
    Q_OBJECT

  public:
    /// workerProgram: this binary. The list is read from the application's QSettings.
    explicit JobStore(QString workerProgram, QObject* parent = nullptr);
    ~JobStore() override;

    [[nodiscard]] const std::vector<JobEntry>& jobs() const { return m_jobs; }
    [[nodiscard]] const JobEntry* find(const QString& folder) const;
    [[nodiscard]] int activeCount() const;  ///< queued or running

    /// Makes the job's folder beside the output and starts its worker. @returns the folder, or an
    /// empty text after saying why not
    QString start(const JobSpec& spec);
    /// Takes a job folder made elsewhere into the list. @returns whether it is one
    bool adopt(const QString& folder);
    void cancel(const QString& folder);  ///< asks the worker to end; it does within a second
    void resume(const QString& folder);
    void forget(const QString& folder);  ///< from the list only, not from the disk

  signals:
    void reset();            ///< the list is another one
    void changed(int row);   ///< progress, state
    void finished(int row);  ///< a job that was under way is done, failed or cancelled
    void said(const gantry::Message& message);

  private:
    void load();
    void save() const;
    void poll();
    bool launch(const QString& folder);

    QString m_workerProgram;
    std::vector<JobEntry> m_jobs;
    QTimer m_timer;
    Background m_polling;
};

}  // namespace gantry
