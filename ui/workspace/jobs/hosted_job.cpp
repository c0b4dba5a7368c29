#include "ui/workspace/jobs/hosted_job.h"

#include <QFileInfo>

#include "core/base/error.h"
#include "core/remote/action/local_host.h"
#include "core/remote/job/remote_status.h"
#include "ui/models/text.h"

namespace gantry {

HostedJob hostedJob(const RemoteJob& job) {
    HostedJob hosted;
    hosted.folder = toText(job.folder);
    hosted.job = job;
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

}  // namespace gantry
