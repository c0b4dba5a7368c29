// The jobs of a JobStore that hosts run.
#include <utility>

#include "ui/models/text.h"
#include "ui/workspace/job_store.h"

namespace gantry {

using Moving = HostedPart::Moving;

namespace {

// As the table has it: a job is at work until what is wanted of it is here.
JobStatus shownStatus(const HostedJob& seen, Moving moving) {
    JobStatus status = seen.status;
    if (moving == Moving::fetching && status.state == JobState::done) {
        status.state = JobState::running;
        status.message = JobStore::tr("is done; its volume is being fetched").toStdString();
    }
    return status;
}

}  // namespace

void JobStore::connectHosts() {
    connect(&m_hosts, &HostJobs::seen, this, &JobStore::takeHosted);
    connect(&m_hosts, &HostJobs::moved, this, &JobStore::showMoved);
    connect(&m_hosts, &HostJobs::silent, this, &JobStore::showSilence);
}

void JobStore::followHosted(const JobEntry& entry) {
    if (!entry.hosted) return;
    // What may be slow is read off this thread.
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

void JobStore::beginHosted(JobEntry& entry, bool isAgain) {
    const QString folder = entry.folder;
    m_runs[folder].isCreating = false;
    entry.hosted->state = RemoteState::preparing;
    entry.status.state = JobState::queued;
    entry.status.message = tr("its files are being sent").toStdString();
    if (isAgain)
        m_hosts.resume(folder, entry.hosted->host);
    else
        m_hosts.send(folder, entry.hosted->host);
    // It was cancelled while its folder was made.
    if (m_runs[folder].cancelling) m_hosts.cancel(folder);
}

void JobStore::takeHosted(const HostedJob& seen) {
    const int row = rowOf(seen.folder);
    if (row < 0) return;
    JobEntry& entry = m_jobs[static_cast<std::size_t>(row)];
    const QString silence = entry.hosted ? entry.hosted->silence : QString();
    const double fraction = entry.hosted ? entry.hosted->fraction : 0;
    entry.hosted = seen.part;
    entry.hosted->silence = silence;
    entry.hosted->fraction = fraction;
    entry.previewStamp = seen.previewStamp;
    setStatus(seen.folder, shownStatus(seen, seen.part.moving));
}

void JobStore::showMoved(const QString& folder, double fraction) {
    const int row = rowOf(folder);
    if (row < 0 || !m_jobs[static_cast<std::size_t>(row)].hosted) return;
    JobEntry& entry = m_jobs[static_cast<std::size_t>(row)];
    const bool isDone = entry.hosted->state == RemoteState::done;
    entry.hosted->moving = isDone ? Moving::fetching : Moving::sending;
    entry.hosted->fraction = fraction;
    if (isDone && entry.status.state == JobState::done) {
        entry.status.state = JobState::running;
        entry.status.message = tr("is done; its volume is being fetched").toStdString();
    }
    emit changed(row);
}

void JobStore::showSilence(const QString& host, const QString& why) {
    for (std::size_t i = 0; i < m_jobs.size(); ++i) {
        JobEntry& entry = m_jobs[i];
        if (!entry.hosted || entry.hosted->host != host || entry.hosted->silence == why) continue;
        entry.hosted->silence = why;
        emit changed(static_cast<int>(i));
    }
}

void JobStore::fetch(const QString& folder, BringBack bring) {
    const JobEntry* job = find(folder);
    if (job && job->isFetchable()) m_hosts.fetch(folder, bring);
}

}  // namespace gantry
