#include "ui/workspace/jobs/host_jobs.h"

#include <QMetaObject>
#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/job/job_directory.h"
#include "core/remote/action/follow_job.h"
#include "core/remote/action/host_watch.h"
#include "core/remote/scheduler/local_host.h"
#include "ui/models/text.h"
#include "ui/workspace/background/task_queue.h"

namespace gantry {

using Moving = HostedPart::Moving;

namespace {

constexpr std::chrono::milliseconds kBetweenPollsHere{250};

// The host's file may have been corrected since the script was made.
void renewScript(HandOver& over, const Host& host) {
    if (pathExists(over.job.folder / kEditedScript)) return;
    const int ranksPerNode = std::max(1, over.job.ranks / std::max(1, over.job.nodes));
    over.script =
        batchScript(host, {over.job.nodes, ranksPerNode, over.job.minutes, {}}, over.job.id);
}

bool wantsMore(const HostedJob& job) {
    // The process that started it elsewhere may be fetching it, or the user fetches it when needed.
    if (!job.job.isOfDesktop) return false;
    if (job.part.state != RemoteState::done || job.part.isVolumeHere) return false;
    return job.part.bring == BringBack::volume ||
           (job.part.bring == BringBack::preview && job.previewStamp == 0);
}

void keepQuietly(const RemoteJob& job) {
    if (job.isOfThisMachine()) return;
    try {
        keepRemoteJob(job);
    } catch (const Error&) {
        // Its folder is gone or full; the state is shown all the same.
    }
}

}  // namespace

struct HostJobs::OfHost {
    OfHost(const std::string& host, const HostWatch::News& news) : name(host), watch(host, news) {}
    // For this machine.
    OfHost(std::shared_ptr<LocalHost> host, const HostWatch::News& news)
        : watch([host = std::move(host)] { return host; }, kBetweenPollsHere, news) {}
    std::string name;
    HostWatch watch;
    TaskQueue moves;
};

// Moves a job, in the thread of its host.
class HostJobs::Mover {
  public:
    Mover(HostJobs& jobs, const QString& folder, const std::stop_token& stop)
        : m_jobs(jobs), m_folder(folder), m_stop(stop) {}

    [[nodiscard]] HostProgress progress() {
        HostProgress progress;
        progress.bytes = [this](Index done, Index all) { tell(done, all); };
        progress.onNotice = [this](const std::string& why) { m_jobs.postSilence(job.host, why); };
        return progress;
    }
    void begin(const QStringList& after) {
        job = localJob(toPath(m_folder));
        for (const QString& other : after)
            job.after.push_back(toPath(other));
        LocalHost host(m_jobs.m_program);
        HandOver over{job};
        trying([&] { put(host, over); });
    }
    // Hands the job over, or resumes it.
    void send(bool isAgain) {
        HandOver over = readHandOver(toPath(m_folder));
        job = over.job;
        const std::unique_ptr<JobHost> host = makeJobHost(findHost(job.host));
        const bool isThere = !job.number.empty() && job.state != RemoteState::gone;
        job.state = RemoteState::preparing;
        trying([&] {
            if (isThere) return host->submit(job, m_stop);
            if (isAgain) renewScript(over, host->host());
            over.job.number.clear();
            over.job.state = RemoteState::preparing;
            put(*host, over);
        });
    }
    // Nothing is changed before the finished parts have been fetched.
    void moveTo(const std::string& to) {
        job = readRemoteJob(toPath(m_folder)).value();
        const Host host = findHost(to);
        const JobSpec spec = readJobRequest(toPath(m_folder));
        const RemoteJob former = bringHere();
        if (!problem.empty()) return;
        const JobResources resources = resourcesFor(host, spec, 0, 0);
        HandOver over;
        over.job = newRemoteJob(former.folder, to, resources);
        over.spec = spec;
        over.job.way = usualWay(host, spec.scan);
        over.job.bring = former.bring;
        over.job.isOfDesktop = true;
        over.script = batchScript(host, resources, over.job.id);
        removeFile(former.folder / kEditedScript);
        keepHandOver(over);
        unlistRemoteJob(former.id);
        job = over.job;
        trying([&] { put(*makeJobHost(host), over); });
    }
    void release() {
        const RemoteJob former = bringHere();
        if (!problem.empty()) return;
        forgetRemoteJob(former);
        isReleased = true;
    }
    // The preview comes first: it is small, and shows whether the rest is worth the time.
    void fetch(BringBack bring) {
        job = readRemoteJob(toPath(m_folder)).value();
        const std::unique_ptr<JobHost> host = makeJobHost(findHost(job.host));
        try {
            host->fetch(job, BringBack::preview, progress(), m_stop);
            m_jobs.post([hosted = hostedJob(job)](HostJobs& jobs) { jobs.take(hosted); });
            if (bring == BringBack::volume) host->fetch(job, bring, progress(), m_stop);
            keepRemoteJob(job);
        } catch (const Cancelled&) {
            if (m_jobs.m_isEnding) throw;
            problem = "its volume was not fetched";
        } catch (const std::exception& error) {
            problem = messageOf(error);
        }
    }

    RemoteJob job;
    std::string problem;
    bool isReleased = false;  // it no longer is a host's job

  private:
    void put(JobHost& host, HandOver& over) {
        const auto keep = [&] { job = over.job; };
        try {
            handOver(host, over, progress(), m_stop);
        } catch (...) {
            keep();
            throw;
        }
        keep();
    }
    // Runs the work; a job that the host refuses gets the reason as its message.
    template <class Work>
    void trying(const Work& work) {
        try {
            work();
        } catch (const Cancelled&) {
            if (m_jobs.m_isEnding) throw;
            job.state = RemoteState::cancelled;
            job.message = "was cancelled before the host had it";
            keepQuietly(job);
        } catch (const std::exception& error) {
            job.state = RemoteState::failed;
            job.message = messageOf(error);
            keepQuietly(job);
        }
    }
    // Returns the job when its finished slabs have been fetched; else see `problem`.
    [[nodiscard]] RemoteJob bringHere() {
        job = readRemoteJob(toPath(m_folder)).value();
        RemoteJob former = job;
        try {
            bringCheckpoint(*makeJobHost(findHost(job.host)), former, progress(), m_stop);
        } catch (const Cancelled&) {
            if (m_jobs.m_isEnding) throw;
            problem = "was cancelled before what it has finished was here";
        } catch (const std::exception& error) {
            problem = messageOf(error);
        }
        return former;
    }
    void tell(Index done, Index all) {
        const auto now = std::chrono::steady_clock::now();
        constexpr std::chrono::milliseconds kOften{100};
        if (now - m_told < kOften && done < all) return;
        m_told = now;
        const double fraction =
            all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 1.0;
        m_jobs.post(
            [folder = m_folder, fraction](HostJobs& jobs) { emit jobs.moved(folder, fraction); });
    }

    HostJobs& m_jobs;
    QString m_folder;
    const std::stop_token& m_stop;
    std::chrono::steady_clock::time_point m_told;
};

HostJobs::HostJobs(const QString& program, QObject* parent)
    : QObject(parent), m_program(toPath(program).string()) {}

HostJobs::~HostJobs() {
    m_isEnding = true;
    if (const auto here = m_hosts.find(QString()); here != m_hosts.end())
        here->second->moves.finish();
    m_hosts.clear();
}

// The threads end before this object does; Qt then drops what they have posted.
template <class Act>
void HostJobs::post(Act act) {
    QMetaObject::invokeMethod(
        this, [this, act = std::move(act)] { act(*this); }, Qt::QueuedConnection);
}

void HostJobs::postSilence(const std::string& host, const std::string& why) {
    post([host = QString::fromStdString(host), why = QString::fromStdString(why)](HostJobs& jobs) {
        emit jobs.silent(host, why);
    });
}

HostJobs::OfHost& HostJobs::of(const QString& host) {
    std::unique_ptr<OfHost>& found = m_hosts[host];
    if (found) return *found;
    const std::string name = host.toStdString();
    const auto tell = [this, name](const HostNews& news) {
        for (const RemoteJob& job : news.jobs)
            post([hosted = hostedJob(job)](HostJobs& jobs) { jobs.take(hosted); });
        postSilence(name, news.whyNot);
    };
    if (name.empty())
        found = std::make_unique<OfHost>(std::make_shared<LocalHost>(m_program), tell);
    else
        found = std::make_unique<OfHost>(name, tell);
    return *found;
}

void HostJobs::follow(const HostedJob& job) {
    OfJob& mine = m_jobs[job.folder];
    mine.host = job.part.host;
    mine.id = job.job.id;
    const RemoteState state = job.part.state;
    if (state == RemoteState::waiting || state == RemoteState::running)
        of(mine.host).watch.add(job.job);
    else if (wantsMore(job))
        fetch(job.folder, job.part.bring);
}

void HostJobs::begin(const QString& folder, const QStringList& after) {
    move(folder, {}, Moving::sending, [after](Mover& mover) { mover.begin(after); });
}

void HostJobs::send(const QString& folder, const QString& host) {
    move(folder, host, Moving::sending, [](Mover& mover) { mover.send(false); });
}

void HostJobs::resume(const QString& folder, const QString& host) {
    move(folder, host, Moving::sending, [](Mover& mover) { mover.send(true); });
}

void HostJobs::moveTo(const QString& folder, const QString& host) {
    const QString from = m_jobs.value(folder).host;
    move(folder, from, Moving::sending,
         [to = host.toStdString()](Mover& mover) { mover.moveTo(to); });
}

void HostJobs::release(const QString& folder) {
    const QString from = m_jobs.value(folder).host;
    move(folder, from, Moving::sending, [](Mover& mover) { mover.release(); });
}

void HostJobs::fetch(const QString& folder, BringBack bring) {
    const auto found = m_jobs.constFind(folder);
    if (found == m_jobs.constEnd() || found->moving != Moving::nothing) return;
    move(folder, QString(found->host), Moving::fetching,
         [bring](Mover& mover) { mover.fetch(bring); });
}

void HostJobs::cancel(const QString& folder) {
    const auto found = m_jobs.find(folder);
    if (found == m_jobs.end()) return;
    OfHost& host = of(found->host);
    if (found->moving != Moving::nothing && found->host.isEmpty())
        found->isToCancel = true;
    else if (found->moving != Moving::nothing)
        host.moves.cancel(folder.toStdString());
    else
        host.watch.cancel(found->id);
}

void HostJobs::forget(const QString& folder) {
    m_jobs.remove(folder);
}

void HostJobs::move(const QString& folder, const QString& host, Moving moving,
                    const std::function<void(Mover&)>& work) {
    OfJob& mine = m_jobs[folder];
    mine.host = host;
    mine.moving = moving;
    emit moved(folder, 0);
    OfHost& part = of(host);
    part.moves.add(folder.toStdString(), [this, folder, work, &part](const std::stop_token& stop) {
        Mover mover(*this, folder, stop);
        mover.job.folder = toPath(folder);
        mover.job.host = part.name;
        try {
            work(mover);
        } catch (const Cancelled&) {
            return;  // the program ends; the next start resumes it
        } catch (const std::exception& error) {
            mover.job.state = RemoteState::failed;
            mover.problem = messageOf(error);
        }
        if (mover.isReleased) return post([folder](HostJobs& jobs) { jobs.endRelease(folder); });
        HostedJob job = hostedJob(mover.job);
        if (!mover.problem.empty()) job.status.message = mover.problem;
        post([job](HostJobs& jobs) { jobs.endMove(job); });
    });
}

void HostJobs::endMove(const HostedJob& job) {
    const auto found = m_jobs.find(job.folder);
    if (found == m_jobs.end()) return;
    found->id = job.job.id;
    found->host = job.part.host;
    found->moving = Moving::nothing;
    const bool isToCancel = std::exchange(found->isToCancel, false);
    if (job.job.state == RemoteState::waiting) {
        HostWatch& watch = of(found->host).watch;
        watch.add(job.job);
        if (isToCancel) watch.cancel(found->id);
    }
    emit seen(job);
}

void HostJobs::endRelease(const QString& folder) {
    if (m_jobs.remove(folder) > 0) emit released(folder);
}

void HostJobs::take(HostedJob job) {
    const auto found = m_jobs.find(job.folder);
    if (found == m_jobs.end()) return;
    if (found->moving == Moving::nothing && wantsMore(job)) fetch(job.folder, job.part.bring);
    job.part.moving = m_jobs.value(job.folder).moving;
    emit seen(job);
}

}  // namespace gantry
