// The jobs of a JobStore that hosts run.
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

// For the table, a job counts as running until its wanted results have been fetched.
void showFetching(JobStatus& status) {
    if (status.state != JobState::done) return;
    status.state = JobState::running;
    status.message = JobStore::tr("is done; its volume is being fetched").toStdString();
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
    m_findSoon.setInterval(kOftenMs);
    m_findSoon.setSingleShot(true);
    connect(&m_findSoon, &QTimer::timeout, this, &JobStore::findNew);
}

void JobStore::follow(const JobEntry& entry) {
    if (entry.hosted) return m_hosts.follow(entry.hosted->job, entry.previewStamp > 0);
    if (!entry.isActive()) return;
    RemoteJob job = localJob(toPath(entry.folder));
    if (entry.status.state == JobState::running) job.state = RemoteState::running;
    m_hosts.follow(job);
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
    if (seen.job.isOfThisMachine())
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
    JobStatus status = seen.status;
    if (seen.moving == Moving::fetching) showFetching(status);
    setStatus(seen.folder, std::move(status));
}

void JobStore::showMoved(const QString& folder, double fraction) {
    const int row = rowOf(folder);
    if (row < 0 || !m_jobs[row].hosted) return;
    JobEntry& entry = m_jobs[row];
    const bool isDone = entry.hosted->job.state == RemoteState::done;
    entry.hosted->moving = isDone ? Moving::fetching : Moving::sending;
    entry.hosted->fraction = fraction;
    entry.hosted->remark.clear();
    if (isDone) showFetching(entry.status);
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
    if (!m_jobs[row].hosted || !m_jobs[row].isResumable()) return;
    const JobEntry& entry = queueAgain(row, tr("what it has finished is being fetched"));
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
    if (job && job->hosted) writeInTurn([id = job->hosted->job.id] { unlistRemoteJob(id); });
    m_hosts.forget(folder);
    drop(folder);
}

}  // namespace gantry
