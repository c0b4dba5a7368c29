#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/remote/remote_job.h"
#include "ui/models/job/job_entry.h"
#include "ui/workspace/hosted_job.h"

namespace gantry {

/// The jobs of this desktop under way, here (LocalHost) and on hosts: handed over, watched,
/// cancelled, resumed and fetched in the background. Of each host, one thread watches all jobs,
/// those of this machine four times a second, and another one moves files and starts jobs; they
/// share one connection. What comes of it is kept in the jobs' folders and told by seen(). GUI
/// thread only; nothing blocks but the end, for the moment that ssh takes to end. Tests:
/// tests/ui/workspace/host_jobs_test.cpp, tests/ui/workspace/job_store_test.cpp,
/// tests/ui/desktop/remote_window_test.cpp
class HostJobs : public QObject {
    Q_OBJECT

  public:
    /// program: this binary, which works on the jobs of this machine
    explicit HostJobs(const QString& program, QObject* parent = nullptr);
    /// Jobs of this machine that were begun are still started.
    ~HostJobs() override;

    /// Looks after a job of the list: until its end, and until what is wanted of its volume is
    /// here.
    void follow(const HostedJob& job);
    /// Has this machine work on the job of that folder when those of `after` have ended; what is
    /// finished of it stays. Jobs start in the order in which they are begun.
    void begin(const QString& folder, const QStringList& after);
    /// Hands over a job of createHostedJob().
    void send(const QString& folder, const QString& host);
    /// Has it go on from what it has finished, there; a job that never came there is sent.
    void resume(const QString& folder, const QString& host);
    /// Has it go on from what it has finished on another host: that is fetched first.
    void moveTo(const QString& folder, const QString& host);
    /// Fetches what it has finished; it is no job of a host any more then: see released().
    void release(const QString& folder);
    /// Ends what is under way for the job: its sending, its run, its fetching.
    void cancel(const QString& folder);
    void fetch(const QString& folder, BringBack bring);
    void forget(const QString& folder);

  signals:
    void seen(const gantry::HostedJob& job);
    void moved(const QString& folder, double fraction);
    /// What it has finished is in its folder: this machine can go on.
    void released(const QString& folder);
    /// why: empty where it answers again
    void silent(const QString& host, const QString& why);

  private:
    struct OfHost;
    struct OfJob {
        QString host;
        std::string id;
        HostedPart::Moving moving = HostedPart::Moving::nothing;
        bool isToCancel = false;  // as soon as it is started
    };
    class Mover;

    [[nodiscard]] OfHost& of(const QString& host);
    void move(const QString& folder, const QString& host, HostedPart::Moving moving,
              const std::function<void(Mover&)>& work);
    void take(HostedJob job);
    void endMove(const HostedJob& job);
    void endRelease(const QString& folder);
    void postSilence(const std::string& host, const std::string& why);
    template <class Act>
    void post(Act act);

    std::string m_program;
    std::atomic<bool> m_isEnding = false;
    QHash<QString, OfJob> m_jobs;
    std::map<QString, std::unique_ptr<OfHost>> m_hosts;  // the last: its threads use the others
};

}  // namespace gantry
