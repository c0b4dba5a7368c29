#include "ui/workspace/jobs/job_store.h"

#include <QMetaObject>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/job/forecast_file.h"
#include "core/job/job_directory.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"

namespace gantry {

JobStore::Created JobStore::createFolder(const JobSpec& spec,
                                         const std::optional<Forecast>& forecast,
                                         const std::optional<HostOrder>& order) {
    const std::filesystem::path folder = jobFolderFor(spec.output.path);
    try {
        if (order) {
            HostOrder ofDesktop = *order;
            ofDesktop.isOfDesktop = true;
            (void)createJobs(std::vector{NewJob{folder, spec}}, ofDesktop, {});
            return {};
        }
        const JobDirectory job = createJobHere({folder, spec}, {});
        try {
            if (forecast) writeForecast(folder, *forecast);
        } catch (const Error&) {
            // Only the comparison with the forecast is lost.
        }
        return {};
    } catch (const std::exception& error) {
        return {QString::fromStdString(messageOf(error)), readJobEntry(toText(folder))};
    }
}

JobStore::JobStore(const QString& workerProgram, QObject* parent)
    : QObject(parent), m_hosts(workerProgram) {
    m_writing.setMaxThreadCount(1);
    connectHosts();
    findNew();
}

JobStore::~JobStore() {
    for (Creation& creation : m_creations) {
        if (!creation.created.get().error.isEmpty()) continue;
        m_list.add(creation.folder);
        const JobEntry* job = find(creation.folder);
        // A host's job is handed over at the next start.
        if (!job || (!job->hosted && !job->isCancelling)) beginHere(creation.folder);
    }
}

const JobEntry* JobStore::find(const QString& folder) const {
    const int row = rowOf(folder);
    return row < 0 ? nullptr : &m_jobs[row];
}

int JobStore::rowOf(const QString& folder) const {
    const auto found = std::ranges::find(m_jobs, folder, &JobEntry::folder);
    return found == m_jobs.end() ? -1 : static_cast<int>(found - m_jobs.begin());
}

int JobStore::activeCount() const {
    return static_cast<int>(std::ranges::count_if(
        m_jobs, [](const JobEntry& job) { return job.isActive() && !job.hosted; }));
}

void JobStore::findNew() {
    QSet<QString> known = m_forgotten;
    for (const JobEntry& job : m_jobs)
        known << job.folder;
    m_finding.start([known](const std::stop_token& stop) { return findJobs(known, stop); },
                    [this](FoundJobs found) { takeFound(std::move(found)); },
                    [this](const QString& sentence) {
                        if (!std::exchange(m_hasLoaded, true)) tellFailure(sentence);
                        m_findSoon.start();
                    });
}

// Inserts them by time, without a message, because nobody started them here.
void JobStore::takeFound(FoundJobs found) {
    const bool isFirst = !std::exchange(m_hasLoaded, true);
    QStringList added;
    for (JobEntry& job : found.jobs) {
        if (rowOf(job.folder) >= 0 || m_forgotten.contains(job.folder)) continue;
        added << job.folder;
        if (found.ofHosts.contains(job.folder)) m_list.add(job.folder);
        const auto place = std::ranges::find_if(
            m_jobs, [&](const JobEntry& other) { return other.created < job.created; });
        m_jobs.insert(place, std::move(job));
    }
    if (isFirst) leaveOutVanished(found.vanished);
    for (const QString& folder : found.vanished + found.unreadable)
        if (rowOf(folder) < 0) m_forgotten << folder;
    if (isFirst || !added.isEmpty()) emit reset();
    for (const QString& folder : std::as_const(added))
        if (const JobEntry* job = find(folder)) follow(JobEntry(*job));
    m_findSoon.start();
}

void JobStore::leaveOutVanished(const QStringList& folders) {
    for (const QString& folder : folders)
        if (rowOf(folder) < 0) m_list.remove(folder);
    if (folders.isEmpty()) return;
    const QString text =
        folders.size() == 1
            ? tr("A job is no longer listed: its folder %1 is gone.").arg(folders.front())
            : tr("%1 jobs are no longer listed: their folders are gone.").arg(folders.size());
    emit messageRaised({Message::Kind::info, text, {}, {}});
}

QString JobStore::start(const JobSpec& spec, const std::optional<Forecast>& forecast,
                        const std::optional<HostOrder>& order) {
    QString folder = toText(jobFolderFor(spec.output.path));
    const JobEntry* known = find(folder);
    if (known && known->isActive()) {
        tellFailure(
            tr("A job is already making %1: wait for it, cancel it, or choose another name.")
                .arg(toText(spec.output.path)));
        return {};
    }
    JobEntry entry;
    entry.folder = folder;
    entry.created = QDateTime::currentDateTime();
    describe(entry, spec);
    if (order) {
        entry.hosted.emplace();
        entry.hosted->job.host = order->host;
        entry.hosted->job.bring = order->wishes.bring;
        entry.hosted->moving = HostedPart::Moving::sending;
    }
    m_runs[folder] = {};
    m_runs[folder].isCreating = true;
    m_runs[folder].isNew = !known;
    putFirst(entry);
    // Uses its own thread: a job must not wait for other work of the desktop, nor the desktop for a
    // busy disk.
    m_creations.push_back(
        {folder, std::async(std::launch::async, [this, folder, spec, forecast, order] {
             Created created = createFolder(spec, forecast, order);
             QMetaObject::invokeMethod(
                 this, [this, folder] { finishCreation(folder); }, Qt::QueuedConnection);
             return created;
         })});
    emit started(folder);
    return folder;
}

// Workers are started in the order of the jobs, because later ones wait for earlier ones.
void JobStore::finishCreation(const QString& folder) {
    for (Creation& creation : m_creations)
        if (creation.folder == folder) creation.isDone = true;
    while (!m_creations.empty() && m_creations.front().isDone) {
        const QString first = m_creations.front().folder;
        const Created created = m_creations.front().created.get();
        m_creations.erase(m_creations.begin());
        if (created.error.isEmpty())
            begin(first);
        else
            giveUp(first, created);
    }
}

void JobStore::begin(const QString& folder) {
    m_list.add(folder);
    if (const JobEntry* job = find(folder); job && job->name != job->usualName) keepName(*job);
    const int row = rowOf(folder);
    JobEntry* entry = row < 0 ? nullptr : &m_jobs[row];
    if (entry && entry->hosted)
        beginHosted(*entry);
    else
        beginHere(folder);
}

void JobStore::giveUp(const QString& folder, const Created& created) {
    drop(folder);
    // A job that existed there before is unchanged.
    if (created.former) adopt(*created.former);
    tellFailure(created.error);
}

void JobStore::beginHere(const QString& folder) {
    Run& run = m_runs[folder];
    run.isCreating = false;
    run.isBegun = true;
    run.after = jobsBefore(folder);
    m_hosts.begin(folder, run.after);
    // It was cancelled while its folder was created, or came from a host.
    if (const JobEntry* job = find(folder); job && job->isCancelling) m_hosts.cancel(folder);
}

void JobStore::takeHere(const HostedJob& seen) {
    JobEntry& entry = m_jobs[rowOf(seen.folder)];
    if (!entry.isActive()) return;
    if (seen.job.state == RemoteState::gone) return leaveOut(JobEntry(entry), seen.isUnreachable);
    // Before the worker runs, the folder may still show an earlier job.
    if (seen.status.workerPid && seen.status.state == JobState::running)
        entry.previewStamp = seen.previewStamp;
    setStatus(seen.folder, seen.status);
}

void JobStore::leaveOut(const JobEntry& job, bool isUnreachable) {
    const QString why = isUnreachable
                            ? tr("The job %1 cannot be cancelled: its folder %2 cannot be reached. "
                                 "It is listed again at the next start with its disk.")
                            : tr("The job %1 is no longer listed: its folder %2 is gone.");
    emit messageRaised({Message::Kind::warning, why.arg(job.name, job.folder)});
    if (isUnreachable)
        hide(job.folder);
    else
        drop(job.folder);
}

void JobStore::setStatus(const QString& folder, JobStatus status) {
    const int row = rowOf(folder);
    if (row < 0) return;
    JobEntry& entry = m_jobs[row];
    const bool wasActive = entry.isActive();
    entry.status = std::move(status);
    const bool hasEnded = wasActive && !entry.isActive();
    if (hasEnded) {
        entry.isCancelling = false;
        m_runs.remove(folder);
    }
    emit changed(row);
    if (hasEnded) emit finished(row);
}

void JobStore::adopt(const JobEntry& entry) {
    if (rowOf(entry.folder) >= 0) return;
    putFirst(entry);
    m_list.add(entry.folder);
    follow(JobEntry(entry));
}

void JobStore::cancel(const QString& folder) {
    const int row = rowOf(folder);
    if (row < 0 || !m_jobs[row].isActive()) return;
    m_jobs[row].isCancelling = true;
    m_hosts.cancel(folder);
    emit changed(row);
}

void JobStore::resume(const QString& folder) {
    const int row = rowOf(folder);
    if (row < 0 || !m_jobs[row].isResumable()) return;
    JobEntry& entry = queueAgain(row);
    entry.status.workSeconds.reset();
    emit started(folder);
    if (entry.hosted) return beginHosted(entry);
    emit changed(row);
    beginHere(folder);
}

JobEntry& JobStore::queueAgain(int row, const QString& message) {
    JobEntry& entry = m_jobs[row];
    entry.isCancelling = false;
    entry.status.state = JobState::queued;
    entry.status.message = message.toStdString();
    m_runs[entry.folder] = {};
    return entry;
}

void JobStore::rename(const QString& folder, const QString& name) {
    const int row = rowOf(folder);
    if (row < 0) return;
    JobEntry& entry = m_jobs[row];
    const QString other = name.isEmpty() ? entry.usualName : name;
    if (entry.name == other) return;
    entry.name = other;
    // A folder that is being created gets the name later.
    if (!m_runs.value(folder).isCreating) keepName(entry);
    emit changed(row);
}

void JobStore::keepName(const JobEntry& job) {
    const std::string name = job.name == job.usualName ? "" : job.name.toStdString();
    writeInTurn([folder = toPath(job.folder), name] { writeJobName(folder, name); });
}

void JobStore::writeInTurn(std::function<void()> work) {
    m_writing.start([this, work = std::move(work)] {
        try {
            work();
        } catch (const std::exception& error) {
            QMetaObject::invokeMethod(
                this, [this, text = QString::fromUtf8(error.what())] { tellFailure(text); });
        }
    });
}

void JobStore::putFirst(const JobEntry& entry) {
    if (const int row = rowOf(entry.folder); row >= 0) m_jobs.erase(m_jobs.begin() + row);
    m_forgotten.remove(entry.folder);
    m_jobs.insert(m_jobs.begin(), entry);
    emit reset();
}

// Removes it from the list; the settings keep it.
void JobStore::hide(const QString& folder) {
    const int row = rowOf(folder);
    if (row < 0) return;
    m_jobs.erase(m_jobs.begin() + row);
    m_runs.remove(folder);
    m_forgotten << folder;
    emit reset();
}

void JobStore::drop(const QString& folder) {
    if (rowOf(folder) < 0) return;
    m_list.remove(folder);
    hide(QString(folder));
}

void JobStore::tellFailure(const QString& text) {
    emit messageRaised({Message::Kind::error, text, {}, {}});
}

}  // namespace gantry
