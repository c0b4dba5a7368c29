#include "ui/workspace/jobs/hosted_job.h"

#include <QFileInfo>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/job/job_directory.h"
#include "core/remote/action/follow_job.h"
#include "core/remote/job/remote_status.h"
#include "core/remote/scheduler/local_host.h"
#include "core/remote/transfer/scan_files.h"
#include "ui/models/text.h"

namespace gantry {

void createHostedJob(const JobSpec& spec, const HostOrder& order) {
    const Host host = findHost(order.host);
    // throws before anything is created
    if (order.way == DataWay::mapped) (void)asMapped(spec, host);
    const std::filesystem::path folder = jobFolderFor(spec.output.path);
    RemoteJob job = newRemoteJob(folder, order.host, order.resources);
    job.way = order.way;
    job.bring = order.bring;
    job.isOfDesktop = true;
    job.message = "its files are being sent";
    (void)JobDirectory::create(folder, spec);
    const std::string script =
        order.script.empty() ? batchScript(host, order.resources, job.id) : order.script;
    if (!order.script.empty()) writeFileAtomically(folder / kEditedScript, script);
    keepHandOver({job, spec, script});
}

HostedJob hostedJob(const RemoteJob& job) {
    HostedJob hosted;
    hosted.folder = toText(job.folder);
    hosted.job = job;
    hosted.part.host = QString::fromStdString(job.host);
    hosted.part.id = QString::fromStdString(job.id);
    hosted.part.state = job.state;
    hosted.part.bring = job.bring;
    hosted.part.isVolumeHere = job.isFetched;
    try {
        hosted.status = readStatusOf(job);
    } catch (const Error& error) {
        hosted.status.state = JobState::failed;
        hosted.status.message = error.message();
    }
    hosted.isUnreachable =
        job.isOfThisMachine() && job.state == RemoteState::gone && !isRemoved(job.folder);
    const QFileInfo preview(hosted.folder + "/preview.mha");
    if (preview.exists()) hosted.previewStamp = preview.lastModified().toMSecsSinceEpoch();
    return hosted;
}

HostedJob readHostedJob(const RemoteJob& job) {
    HostedJob hosted = hostedJob(job);
    if (job.state != RemoteState::preparing) return hosted;
    hosted.status.state = JobState::failed;
    hosted.status.message =
        "was interrupted before the host had it. Press Resume: what was sent already stays there.";
    return hosted;
}

HostedJob localHostedJob(const QString& folder, JobState state) {
    HostedJob hosted;
    hosted.folder = folder;
    hosted.job = localJob(toPath(folder));
    if (state == JobState::running) hosted.job.state = RemoteState::running;
    hosted.part.state = hosted.job.state;
    return hosted;
}

}  // namespace gantry
