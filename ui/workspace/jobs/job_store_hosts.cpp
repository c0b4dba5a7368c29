// The jobs of a JobStore that hosts run.
#include <QMetaObject>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/remote/action/local_host.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/job_store.h"

namespace gantry {

using Moving = HostedPart::Moving;

namespace {

// The status for the table: a job counts as running until its wanted results have been fetched.
JobStatus shownStatus(const HostedJob& seen) {
    JobStatus status = seen.status;
    if (seen.moving == Moving::fetching && status.state == JobState::done) {
        status.state = JobState::running;
        status.message = JobStore::tr("is done; its volume is being fetched").toStdString();
    }
    return status;
}

// It brings back what it was to bring back before.
RemoteJob moveTo(const std::filesystem::path& folder, const std::string& host,
                 const HostProgress& progress, const std::stop_token& stop) {
    const NewJob job = {folder, readJobRequest(folder)};
    const HostWishes wishes = {.bring = readJob(folder, stop).bring};
    HostOrder order = orderFor(host, std::span(&job, 1), wishes);
    order.isOfDesktop = true;
    return moveJob(folder, order, progress, stop);
}

}  // namespace

void JobStore::connectHosts() {
    connect(&m_hosts, &HostJobs::seen, this, &JobStore::takeSeen);
    connect(&m_hosts, &HostJobs::moved, this, &JobStore::showMoved);
    connect(&m_hosts, &HostJobs::remarked, this, &JobStore::showRemark);
    connect(&m_hosts, &HostJobs::silent, this, &JobStore::showSilence);
    connect(&m_hosts, &HostJobs::released, this, &JobStore::takeReleased);
    constexpr int kOftenMs = 2000;
    m_pollSoon.setInterval(kOftenMs);
    m_pollSoon.setSingleShot(true);
    connect(&m_pollSoon, &QTimer::timeout, this, &JobStore::pollForOthers);
}

void JobStore::follow(const JobEntry& entry) {
    if (!entry.hosted) {
        if (entry.isActive()) m_hosts.follow(localHostedJob(entry.folder, entry.status.state));
        return;
    }
    // Reading may be slow, so it is done off this thread.
    m_following[entry.folder].start(
        [folder = toPath(entry.folder)](const std::stop_token&) {
            const std::optional<RemoteJob> job = readRemoteJob(folder);
            return job ? std::optional(readHostedJob(*job)) : std::nullopt;
        },
        [this](const std::optional<HostedJob>& job) {
            if (job && rowOf(job->folder) >= 0) m_hosts.follow(*job);
        },
        [this](const QString& sentence) { tellFailure(sentence); });
}

void JobStore::beginHosted(JobEntry& entry) {
    const QString folder = entry.folder;
    m_runs[folder].isCreating = false;
    entry.hosted->job.state = RemoteState::preparing;
    entry.status.state = JobState::queued;
    entry.status.message = tr("its files are being sent").toStdString();
    m_hosts.start(
        folder, entry.hosted->job.host,
        [folder = toPath(folder)](const HostProgress& progress, const std::stop_token& stop) {
            return startJobs(std::span(&folder, 1), progress, stop).front();
        });
    // It was cancelled while its folder was made.
    if (entry.isCancelling) m_hosts.cancel(folder);
}

void JobStore::takeSeen(const HostedJob& seen) {
    if (rowOf(seen.folder) < 0) return;
    if (seen.isOfThisMachine())
        takeHere(seen);
    else
        takeHosted(seen);
}

void JobStore::takeHosted(const HostedJob& seen) {
    JobEntry& entry = m_jobs[rowOf(seen.folder)];
    if (!entry.hosted) entry.hosted.emplace();
    entry.hosted->job = seen.job;
    entry.hosted->moving = seen.moving;
    entry.hosted->remark.clear();
    entry.hosted->lastHeard = QDateTime::currentDateTime();
    entry.previewStamp = seen.previewStamp;
    setStatus(seen.folder, shownStatus(seen));
}

void JobStore::showMoved(const QString& folder, double fraction) {
    const int row = rowOf(folder);
    if (row < 0 || !m_jobs[row].hosted) return;
    JobEntry& entry = m_jobs[row];
    const bool isDone = entry.hosted->job.state == RemoteState::done;
    entry.hosted->moving = isDone ? Moving::fetching : Moving::sending;
    entry.hosted->fraction = fraction;
    entry.hosted->remark.clear();
    if (isDone && entry.status.state == JobState::done) {
        entry.status.state = JobState::running;
        entry.status.message = tr("is done; its volume is being fetched").toStdString();
    }
    emit changed(row);
}

void JobStore::showRemark(const QString& folder, const QString& sentence) {
    const int row = rowOf(folder);
    if (row < 0 || !m_jobs[row].hosted) return;
    m_jobs[row].hosted->remark = sentence;
    emit changed(row);
}

void JobStore::showSilence(const QString& host, const QString& why) {
    for (std::size_t i = 0; i < m_jobs.size(); ++i) {
        JobEntry& entry = m_jobs[i];
        if (!entry.hosted || entry.hosted->host() != host || entry.hosted->silence == why) continue;
        entry.hosted->silence = why;
        emit changed(static_cast<int>(i));
    }
}

void JobStore::fetch(const QString& folder, BringBack bring) {
    const JobEntry* job = find(folder);
    if (job && job->isFetchable()) m_hosts.fetch(folder, bring);
}

void JobStore::resumeElsewhere(const QString& folder, const QString& host) {
    const int row = rowOf(folder);
    if (row < 0) return;
    JobEntry& entry = m_jobs[row];
    if (!entry.hosted || !entry.isResumable()) return;
    entry.isCancelling = false;
    entry.status.state = JobState::queued;
    entry.status.message = tr("what it has finished is being fetched").toStdString();
    m_runs[folder] = {};
    m_hosts.start(
        folder, entry.hosted->job.host,
        [folder = toPath(folder), to = host.toStdString()](
            const HostProgress& progress, const std::stop_token& stop) -> std::optional<RemoteJob> {
            if (!to.empty()) return moveTo(folder, to, progress, stop);
            takeJob(folder, progress, stop);
            return std::nullopt;
        });
}

void JobStore::takeReleased(const QString& folder) {
    const int row = rowOf(folder);
    if (row < 0) return;
    JobEntry& entry = m_jobs[row];
    entry.hosted.reset();
    entry.status.message.clear();
    emit changed(row);
    beginHere(folder);
}

// Adds the jobs that other windows have put into the settings, and those of hosts that the command
// line has started. A job that is still being sent is managed by the process that sends it.
void JobStore::pollForOthers() {
    QSet<QString> known = m_forgotten;
    for (const JobEntry& job : m_jobs)
        known << job.folder;
    m_looking.start(
        [known](const std::stop_token& stop) {
            Others others;
            const auto isWanted = [&](const std::filesystem::path& folder) {
                if (stop.stop_requested()) throw Cancelled();
                return !known.contains(toText(folder));
            };
            for (const QString& folder : PathList::read(PathList::kJobFolders)) {
                if (!isWanted(toPath(folder))) continue;
                if (std::optional<JobEntry> entry = readJobEntry(folder))
                    others.jobs.push_back(std::move(*entry));
                else
                    others.unreadable << folder;
            }
            for (const RemoteJob& job : remoteJobs(isWanted)) {
                if (job.isOfDesktop || job.state == RemoteState::preparing) continue;
                if (std::optional<JobEntry> entry = readJobEntry(toText(job.folder)))
                    others.jobs.push_back(std::move(*entry));
            }
            return others;
        },
        [this](Others others) { takeOthers(std::move(others)); },
        [this](const QString&) { m_pollSoon.start(); });
}

// Inserts them by time, without a message, because nobody started them here.
void JobStore::takeOthers(Others others) {
    bool isAny = false;
    for (JobEntry& other : others.jobs) {
        if (rowOf(other.folder) >= 0 || m_forgotten.contains(other.folder)) continue;
        isAny = true;
        if (other.hosted) m_list.add(other.folder);  // the others are from the settings
        const auto place = std::ranges::find_if(
            m_jobs, [&](const JobEntry& job) { return job.created < other.created; });
        follow(*m_jobs.insert(place, std::move(other)));
    }
    for (const QString& folder : std::as_const(others.unreadable))
        if (rowOf(folder) < 0) m_forgotten << folder;
    if (isAny) emit reset();
    m_pollSoon.start();
}

// Afterwards neither this list nor `gantry jobs` shows it. Another window may have resumed the job
// since this one saw it end.
void JobStore::forget(const QString& folder) {
    const JobEntry* job = find(folder);
    if (job && !job->hosted) {
        JobEntry now = *job;
        now.status = statusOrDamage(toPath(folder));
        if (now.isActive()) {
            emit messageRaised(
                {Message::Kind::warning,
                 tr("%1 stays in the list: another window has resumed it, and it is under way.")
                     .arg(now.name)});
            setStatus(folder, now.status);
            return follow(now);
        }
    }
    if (job && job->hosted) {
        m_naming.start([this, id = job->hosted->job.id] {
            try {
                unlistRemoteJob(id);
            } catch (const std::exception& error) {
                QMetaObject::invokeMethod(
                    this, [this, text = QString::fromUtf8(error.what())] { tellFailure(text); });
            }
        });
    }
    m_hosts.forget(folder);
    drop(folder);
}

}  // namespace gantry
