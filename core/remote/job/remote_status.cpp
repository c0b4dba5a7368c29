#include "core/remote/job/remote_status.h"

#include <optional>

#include "core/base/file.h"

namespace gantry {

JobState jobState(RemoteState state) {
    switch (state) {
        case RemoteState::preparing:
        case RemoteState::waiting:
            return JobState::queued;
        case RemoteState::running:
            return JobState::running;
        case RemoteState::done:
            return JobState::done;
        case RemoteState::cancelled:
            return JobState::cancelled;
        case RemoteState::failed:
        case RemoteState::stopped:
        case RemoteState::gone:
            return JobState::failed;
    }
    return JobState::failed;
}

RemoteState remoteState(JobState state) {
    switch (state) {
        case JobState::queued:
            return RemoteState::waiting;
        case JobState::running:
            return RemoteState::running;
        case JobState::done:
            return RemoteState::done;
        case JobState::failed:
            return RemoteState::failed;
        case JobState::cancelled:
            return RemoteState::cancelled;
    }
    return RemoteState::failed;
}

JobStatus readStatusOf(const RemoteJob& job) {
    JobStatus status = readJobStatus(job.folder);
    const bool agrees = status.state == jobState(job.state);
    status.state = jobState(job.state);
    status.message = job.message;
    if (!job.isOfThisMachine()) status.workerPid.reset();
    if (!agrees || status.state != JobState::failed) {
        status.code = ErrorCode::none;
        status.field.clear();
    }
    const bool isActive = status.state == JobState::queued || status.state == JobState::running;
    if (isActive) status.workSeconds.reset();
    status.canResume = !isActive && status.state != JobState::done &&
                       job.state != RemoteState::gone && pathExists(job.folder / "checkpoint.json");
    return status;
}

JobStatus readAnyJobStatus(const std::filesystem::path& folder) {
    if (const std::optional<RemoteJob> job = readRemoteJob(folder)) return readStatusOf(*job);
    return readJobStatus(folder);
}

}  // namespace gantry
