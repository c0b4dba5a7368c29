#pragma once

#include <filesystem>

#include "core/job/job_status.h"
#include "core/remote/job/remote_job.h"

namespace gantry {

/// The state of a host's job in terms of a job: waiting or being sent is queued; ended by the host
/// is failed.
[[nodiscard]] JobState jobState(RemoteState state);
/// The state of a job of this machine in terms of a host.
[[nodiscard]] RemoteState remoteState(JobState state);

/// readJobStatus() for any job: the state on a host is taken from remote.json and the copies of its
/// logs, not from who holds the folder.
/// @throws InputError when the folder contains no job
/// Tests: tests/core/remote/remote_status_test.cpp
[[nodiscard]] JobStatus readAnyJobStatus(const std::filesystem::path& folder);
/// The same if remote.json has been read already.
[[nodiscard]] JobStatus readStatusOf(const RemoteJob& job);

}  // namespace gantry
