#include "ui/workspace/jobs/job_reading.h"

#include <QFileInfo>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/remote/action/local_host.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/hosted_job.h"

namespace gantry {

namespace {

bool holdsJob(const QString& folder) {
    return pathExists(toPath(folder) / "job.json");
}

}  // namespace

std::optional<JobEntry> readJobEntry(const QString& folder) {
    if (!holdsJob(folder)) return {};
    JobEntry entry;
    entry.folder = folder;
    entry.created = QFileInfo(folder + "/job.json").lastModified();
    entry.status = statusOrDamage(toPath(folder));
    try {
        if (const std::optional<RemoteJob> remote = readRemoteJob(toPath(folder))) {
            const HostedJob hosted = readHostedJob(*remote);
            entry.status = hosted.status;
            entry.hosted.emplace();
            entry.hosted->job = *remote;
            entry.hosted->lastHeard = QFileInfo(folder + "/events.jsonl").lastModified();
            entry.previewStamp = hosted.previewStamp;
        }
        const JobSpec spec = readJobRequest(toPath(folder));
        entry.name = QString::fromStdString(readJobName(toPath(folder)));
        describe(entry, spec);
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
        else if (isRemoved(toPath(folder)))
            loaded.vanished << folder;
    }
    return loaded;
}

}  // namespace gantry
