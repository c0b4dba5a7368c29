#include "ui/workspace/job_watch.h"

#include <signal.h>
#include <unistd.h>

#include <QDateTime>
#include <QFile>
#include <QFileInfo>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/job/event_log.h"
#include "core/job/job_directory.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/workspace/host_jobs.h"

namespace gantry {

namespace {

constexpr std::chrono::seconds kPatience{5};

bool isAlive(const Process& process) {
    return process.start > 0 && processOf(process.pid).start == process.start;
}

bool holdsJob(const QString& folder) {
    return pathExists(toPath(folder) / "job.json");
}

// Whether it was removed. Where a disk is not mounted, what leads to the folder is missing as well,
// or is empty.
bool isGone(const QString& folder) {
    try {
        return !entriesOf(toPath(folder).parent_path()).empty();
    } catch (const Error&) {
        return false;
    }
}

JobStatus statusOf(const QString& folder) {
    try {
        return readJobStatus(toPath(folder));
    } catch (const Error& error) {
        JobStatus status;
        status.state = JobState::failed;
        status.message = error.message();
        status.code = error.code();
        return status;
    }
}

void markCancelled(const QString& folder) {
    try {
        const JobDirectory job = JobDirectory::open(toPath(folder));
        EventLog(job.file("events.jsonl")).state(JobState::cancelled);
    } catch (const Error&) {
        // The status in a read-only folder stays as it is; nobody works on it.
    }
}

// Ends the worker that holds the job.
void end(int worker, Cancelling& cancelling) {
    // This desktop holds a job for a moment when it makes or marks it.
    if (worker == ::getpid()) return;
    const auto now = std::chrono::steady_clock::now();
    if (worker != cancelling.askedPid) {
        // Once only: a second signal makes it leave without tidying up.
        ::kill(worker, SIGTERM);
        cancelling = {worker, now, false};
    } else if (!cancelling.isKilled && now - cancelling.askedAt > kPatience) {
        ::kill(worker, SIGKILL);
        cancelling.isKilled = true;
    }
}

}  // namespace

Process processOf(qint64 pid) {
    QFile file(QString("/proc/%1/stat").arg(pid));
    if (pid <= 0 || !file.open(QIODevice::ReadOnly)) return {};
    const QByteArray text = file.readAll();
    // "PID (NAME) STATE ...", where NAME may hold anything.
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 1).simplified().split(' ');
    constexpr qsizetype kStart = 19;
    if (fields.size() <= kStart) return {};
    // A process that ended and was not yet waited for (zombie).
    if (fields[0] == "Z" || fields[0] == "X") return {};
    return {pid, fields[kStart].toLongLong()};
}

WatchedJob watchJob(const WatchOrder& order) {
    WatchedJob seen{order.folder, {}, false, isAlive(order.launched), 0, order.cancelling};
    if (!holdsJob(order.folder)) {
        seen.isUnreachable = !isGone(order.folder);
        return seen;
    }
    seen.status = statusOf(order.folder);
    const QFileInfo preview(order.folder + "/preview.mha");
    if (preview.exists()) seen.previewStamp = preview.lastModified().toMSecsSinceEpoch();
    if (!seen.cancelling) return seen;
    // On a disk without locks only the desktop that started a worker knows that it is at work.
    const int launched = seen.launchedIsAlive ? static_cast<int>(order.launched.pid) : 0;
    if (const int worker = seen.status->workerPid.value_or(launched); worker > 0) {
        end(worker, *seen.cancelling);
    } else if (seen.status->state != JobState::done && seen.status->state != JobState::cancelled) {
        markCancelled(order.folder);
        seen.status = statusOf(order.folder);
    }
    return seen;
}

std::optional<JobEntry> readJobEntry(const QString& folder) {
    if (!holdsJob(folder)) return {};
    JobEntry entry;
    entry.folder = folder;
    entry.created = QFileInfo(folder + "/job.json").lastModified();
    entry.status = statusOf(folder);
    try {
        if (const std::optional<RemoteJob> remote = readRemoteJob(toPath(folder))) {
            const HostedJob hosted = readHostedJob(*remote);
            entry.status = hosted.status;
            entry.hosted = hosted.part;
            entry.previewStamp = hosted.previewStamp;
        }
        const JobSpec spec = readJobRequest(toPath(folder));
        entry.usualName = jobName(spec, entry.created, QDateTime::currentDateTime());
        const std::string name = readJobName(toPath(folder));
        entry.name = name.empty() ? entry.usualName : QString::fromStdString(name);
        entry.output = toText(spec.output.path);
    } catch (const Error& error) {
        entry.name = entry.usualName = QFileInfo(folder).completeBaseName();
        entry.status.state = JobState::failed;
        entry.status.message = error.message();
        entry.status.code = error.code();
    }
    return entry;
}

LoadedJobs loadJobs(const QStringList& folders, const std::stop_token& stop) {
    LoadedJobs loaded;
    for (const QString& folder : folders) {
        if (stop.stop_requested()) throw Cancelled();
        if (std::optional<JobEntry> entry = readJobEntry(folder))
            loaded.jobs.push_back(std::move(*entry));
        else if (isGone(folder))
            loaded.vanished << folder;
    }
    return loaded;
}

}  // namespace gantry
