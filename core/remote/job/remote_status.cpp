#include "core/remote/job/remote_status.h"

#include <array>
#include <optional>

namespace gantry {

JobState jobState(RemoteState state) {
    using enum JobState;
    constexpr std::array kJobStates = {queued, queued,    running, done,
                                       failed, cancelled, failed,  failed};
    return kJobStates.at(static_cast<std::size_t>(state));
}

RemoteState remoteState(JobState state) {
    using enum RemoteState;
    constexpr std::array kRemoteStates = {waiting, running, done, failed, cancelled};
    return kRemoteStates.at(static_cast<std::size_t>(state));
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
                       job.state != RemoteState::gone && status.hasKept;
    return status;
}

JobStatus readAnyJobStatus(const std::filesystem::path& folder) {
    if (const std::optional<RemoteJob> job = readRemoteJob(folder)) return readStatusOf(*job);
    return readJobStatus(folder);
}

}  // namespace gantry
