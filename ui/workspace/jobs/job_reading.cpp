#include "ui/workspace/jobs/job_reading.h"

#include <QFileInfo>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/remote/action/local_host.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/hosted_job.h"
#include "ui/workspace/path_list.h"

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

FoundJobs findJobs(const QSet<QString>& known, const std::stop_token& stop) {
    FoundJobs found;
    const auto isWanted = [&](const std::filesystem::path& folder) {
        if (stop.stop_requested()) throw Cancelled();
        return !known.contains(toText(folder));
    };
    const QStringList listed = PathList::read(PathList::kJobFolders);
    for (const QString& folder : listed) {
        if (!isWanted(toPath(folder))) continue;
        if (std::optional<JobEntry> entry = readJobEntry(folder))
            found.jobs.push_back(std::move(*entry));
        else
            (isRemoved(toPath(folder)) ? found.vanished : found.unreadable) << folder;
    }
    for (const RemoteJob& job : remoteJobs(isWanted)) {
        const QString folder = toText(job.folder);
        if (job.isOfDesktop || job.state == RemoteState::preparing || listed.contains(folder))
            continue;
        if (std::optional<JobEntry> entry = readJobEntry(folder)) {
            found.jobs.push_back(std::move(*entry));
            found.ofHosts << folder;
        }
    }
    return found;
}

}  // namespace gantry
