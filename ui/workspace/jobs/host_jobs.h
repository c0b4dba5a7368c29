#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/remote/action/job_actions.h"
#include "ui/models/job/job_entry.h"
#include "ui/workspace/jobs/hosted_job.h"

namespace gantry {

/// The active jobs of this desktop, here (LocalHost) and on hosts: handed over, polled, cancelled,
/// resumed and fetched in the background. For each host, one thread polls all jobs (those of this
/// machine four times a second), and another one transfers files and starts jobs; they share one
/// connection. Results are kept in the jobs' folders and reported by seen(). GUI thread only;
/// nothing blocks except destruction, for the moment that ssh takes to end. Tests:
/// tests/ui/workspace/host_jobs_test.cpp, tests/ui/workspace/job_store_test.cpp,
///        tests/ui/desktop/remote_window_test.cpp
class HostJobs : public QObject {
    Q_OBJECT

  public:
    /// program: this binary, which runs the jobs of this machine
    explicit HostJobs(const QString& program, QObject* parent = nullptr);
    /// Jobs of this machine that were begun are still started.
    ~HostJobs() override;

    /// Manages a job of the list until its end, and until the wanted part of its volume has been
    /// fetched. job: as its folder has it; hasPreview: whether its preview is there
    void follow(const RemoteJob& job, bool hasPreview = false);
    /// Makes this machine run the job of that folder when those of `after` have ended; finished
    /// parts are kept. Jobs start in the order of these calls.
    void begin(const QString& folder, const QStringList& after);
    /// The job after the work; none if it is one of this machine now: see released().
    using Work = std::function<std::optional<RemoteJob>(const HostProgress& progress,
                                                        const std::stop_token& stop)>;
    /// Does one of job_actions.h with a host's job in the thread of that host, after earlier work
    /// there, and manages the job as follow() does.
    void start(const QString& folder, const std::string& host, const Work& work,
               HostedPart::Moving moving = HostedPart::Moving::sending);
    /// Ends the current work on the job: sending, running, or fetching.
    void cancel(const QString& folder);
    void fetch(const QString& folder, BringBack bring);
    void forget(const QString& folder);

  signals:
    void seen(const gantry::HostedJob& job);
    void moved(const QString& folder, double fraction);
    /// What the work on the job waits for: another job that sends the same files.
    void remarked(const QString& folder, const QString& sentence);
    /// Its finished parts are in its folder, so this machine can resume it.
    void released(const QString& folder);
    /// why: empty if it answers again
    void silent(const QString& host, const QString& why);

  private:
    struct OfHost;
    struct OfJob {
        std::string host;
        std::string id;
        HostedPart::Moving moving = HostedPart::Moving::nothing;
        bool isToCancel = false;  // as soon as it is started
    };

    [[nodiscard]] OfHost& of(const std::string& host);
    void doWork(const QString& folder, const std::string& host, const Work& work,
                const std::stop_token& stop);
    [[nodiscard]] HostProgress progressOf(const QString& folder, const std::string& host);
    void take(HostedJob job);
    void endMove(const HostedJob& job);
    void endRelease(const QString& folder);
    void postNews(const RemoteJob& job);
    void postSilence(const std::string& host, const std::string& why);
    template <class Act>
    void post(Act act);

    std::string m_program;
    std::atomic<bool> m_isEnding = false;
    QHash<QString, OfJob> m_jobs;
    std::map<std::string, std::unique_ptr<OfHost>>
        m_hosts;  // last, because its threads use the others
};

}  // namespace gantry
