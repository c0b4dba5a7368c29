#include "ui/workspace/jobs/host_jobs.h"

#include <QMetaObject>
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/job/job_status.h"
#include "core/remote/action/host_watch.h"
#include "core/remote/action/local_host.h"
#include "ui/models/text.h"
#include "ui/workspace/background/task_queue.h"

namespace gantry {

using Moving = HostedPart::Moving;

namespace {

constexpr std::chrono::milliseconds kBetweenPollsHere{250};

bool wantsMore(const RemoteJob& job, bool hasPreview) {
    // The process that started it elsewhere may be fetching it, or the user fetches it when needed.
    if (!job.isOfDesktop || job.state != RemoteState::done || job.isFetched) return false;
    return job.bring == BringBack::volume || (job.bring == BringBack::preview && !hasPreview);
}

bool wantsMore(const HostedJob& job) {
    return wantsMore(job.job, job.previewStamp > 0);
}

RemoteJob beginHere(const std::string& program, const QString& folder, const QStringList& after,
                    const std::stop_token& stop) {
    RemoteJob job = localJob(toPath(folder));
    std::vector<std::filesystem::path> others;
    std::ranges::transform(after, std::back_inserter(others), toPath);
    LocalHost(program).start(job, others, stop);
    return job;
}

// A job as its folder shows it after work on it has failed. why: empty: what the folder says
HostedJob failedJob(const QString& folder, const std::string& why) {
    RemoteJob job = localJob(toPath(folder));
    job.state = RemoteState::failed;
    try {
        job = readRemoteJob(toPath(folder)).value_or(job);
    } catch (const Error&) {
        // The reason of the failure is shown.
    }
    HostedJob hosted = readHostedJob(job);
    if (!why.empty()) hosted.status.message = why;
    return hosted;
}

// Where it is not known whether the host has taken the job, it is made sure that it has not.
HostedJob cancelledJob(const QString& folder) {
    try {
        std::optional<RemoteJob> job = readRemoteJob(toPath(folder));
        if (job && job->isLost()) job = cancelJob(job->folder, {});
        const bool saysSo = job && job->state == RemoteState::cancelled;
        return failedJob(folder, saysSo ? "" : "was cancelled before it was finished");
    } catch (const std::exception& error) {
        return failedJob(folder, messageOf(error));
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

HostJobs::HostJobs(const QString& program, QObject* parent)
    : QObject(parent), m_program(toPath(program).string()) {}

HostJobs::~HostJobs() {
    m_isEnding = true;
    if (const auto here = m_hosts.find({}); here != m_hosts.end()) here->second->moves.finish();
    m_hosts.clear();
}

// The threads end before this object does; Qt then drops what they have posted.
template <class Act>
void HostJobs::post(Act act) {
    QMetaObject::invokeMethod(
        this, [this, act = std::move(act)] { act(*this); }, Qt::QueuedConnection);
}

void HostJobs::postNews(const RemoteJob& job) {
    post([hosted = hostedJob(job)](HostJobs& jobs) { jobs.take(hosted); });
}

void HostJobs::postSilence(const std::string& host, const std::string& why) {
    post([host = QString::fromStdString(host), why = QString::fromStdString(why)](HostJobs& jobs) {
        emit jobs.silent(host, why);
    });
}

HostJobs::OfHost& HostJobs::of(const std::string& name) {
    std::unique_ptr<OfHost>& found = m_hosts[name];
    if (found) return *found;
    const auto tell = [this, name](const HostNews& news) {
        for (const RemoteJob& job : news.jobs)
            postNews(job);
        postSilence(name, news.whyNot);
    };
    if (name.empty())
        found = std::make_unique<OfHost>(std::make_shared<LocalHost>(m_program), tell);
    else
        found = std::make_unique<OfHost>(name, tell);
    return *found;
}

void HostJobs::follow(const RemoteJob& job, bool hasPreview) {
    const QString folder = toText(job.folder);
    OfJob& mine = m_jobs[folder];
    mine.host = job.host;
    mine.id = job.id;
    if (job.state == RemoteState::waiting || job.state == RemoteState::running)
        of(job.host).watch.add(job);
    else if (job.isLost())
        start(folder, job.host,
              [path = job.folder](const HostProgress&, const std::stop_token& stop) {
                  RemoteJob now = readJob(path, stop);
                  pollJobs(now.host, std::span(&now, 1), stop);
                  return now;
              });
    else if (wantsMore(job, hasPreview))
        fetch(folder, job.bring);
}

void HostJobs::begin(const QString& folder, const QStringList& after) {
    start(folder, {},
          [program = m_program, folder, after](const HostProgress&, const std::stop_token& stop) {
              return beginHere(program, folder, after, stop);
          });
}

void HostJobs::fetch(const QString& folder, BringBack bring) {
    const auto found = m_jobs.constFind(folder);
    if (found == m_jobs.constEnd() || found->moving != Moving::nothing) return;
    start(
        folder, std::string(found->host),
        [this, folder = toPath(folder), bring](const HostProgress& progress,
                                               const std::stop_token& stop) {
            return fetchJob(
                folder, bring, progress, [this](const RemoteJob& job) { postNews(job); }, stop);
        },
        Moving::fetching);
}

void HostJobs::cancel(const QString& folder) {
    const auto found = m_jobs.find(folder);
    if (found == m_jobs.end()) return;
    OfHost& host = of(found->host);
    if (found->moving != Moving::nothing && found->host.empty())
        found->isToCancel = true;
    else if (found->moving != Moving::nothing)
        host.moves.cancel(folder.toStdString());
    else
        host.watch.cancel(found->id);
}

void HostJobs::forget(const QString& folder) {
    m_jobs.remove(folder);
}

void HostJobs::start(const QString& folder, const std::string& host, const Work& work,
                     Moving moving) {
    OfJob& mine = m_jobs[folder];
    mine.host = host;
    mine.moving = moving;
    emit moved(folder, 0);
    OfHost& part = of(host);
    part.moves.add(folder.toStdString(),
                   [this, folder, work, name = part.name](const std::stop_token& stop) {
                       doWork(folder, name, work, stop);
                   });
}

void HostJobs::doWork(const QString& folder, const std::string& host, const Work& work,
                      const std::stop_token& stop) {
    HostedJob job;
    try {
        const std::optional<RemoteJob> now = work(progressOf(folder, host), stop);
        if (!now) return post([folder](HostJobs& jobs) { jobs.endRelease(folder); });
        job = readHostedJob(*now);
    } catch (const Cancelled&) {
        if (m_isEnding) return;  // the next start resumes it
        job = cancelledJob(folder);
    } catch (const std::exception& error) {
        job = failedJob(folder, messageOf(error));
    }
    post([job](HostJobs& jobs) { jobs.endMove(job); });
}

HostProgress HostJobs::progressOf(const QString& folder, const std::string& host) {
    using Clock = std::chrono::steady_clock;
    HostProgress progress;
    progress.bytes = [this, folder, told = Clock::time_point()](Index done, Index all) mutable {
        constexpr std::chrono::milliseconds kOften{100};
        if (Clock::now() - told < kOften && done < all) return;
        told = Clock::now();
        const double fraction =
            all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 1.0;
        post([folder, fraction](HostJobs& jobs) { emit jobs.moved(folder, fraction); });
    };
    progress.onNotice = [this, host](const std::string& why) { postSilence(host, why); };
    progress.onRemark = [this, folder](const std::string& sentence) {
        post([folder, text = QString::fromStdString(sentence)](HostJobs& jobs) {
            emit jobs.remarked(folder, text);
        });
    };
    return progress;
}

void HostJobs::endMove(const HostedJob& job) {
    const auto found = m_jobs.find(job.folder);
    if (found == m_jobs.end()) return;
    found->id = job.job.id;
    found->host = job.job.host;
    const Moving moving = std::exchange(found->moving, Moving::nothing);
    const bool isToCancel = std::exchange(found->isToCancel, false);
    if (job.job.state == RemoteState::waiting || job.job.state == RemoteState::running) {
        HostWatch& watch = of(found->host).watch;
        watch.add(job.job);
        if (isToCancel) watch.cancel(found->id);
    }
    emit seen(job);
    if (moving == Moving::sending && wantsMore(job)) fetch(job.folder, job.job.bring);
}

void HostJobs::endRelease(const QString& folder) {
    if (m_jobs.remove(folder) > 0) emit released(folder);
}

void HostJobs::take(HostedJob job) {
    const auto found = m_jobs.find(job.folder);
    if (found == m_jobs.end()) return;
    if (found->moving == Moving::nothing && wantsMore(job)) fetch(job.folder, job.job.bring);
    job.moving = m_jobs.value(job.folder).moving;
    emit seen(job);
}

}  // namespace gantry
