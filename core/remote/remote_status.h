#pragma once

#include <filesystem>

#include "core/job/job_status.h"
#include "core/remote/remote_job.h"

namespace gantry {

/// How a job of a host stands as a job's state: waiting, or on its way there, is queued; ended by
/// the host is failed.
[[nodiscard]] JobState jobState(RemoteState state);
/// And how one of this machine stands as a host would tell it.
[[nodiscard]] RemoteState remoteState(JobState state);

/// As readJobStatus(), of whatever job: what a host does is known from remote.json and the copies
/// of its logs, not from who holds the folder.
/// @throws InputError when the folder holds no job
/// Tests: tests/core/remote/remote_status_test.cpp
[[nodiscard]] JobStatus readAnyJobStatus(const std::filesystem::path& folder);
/// The same where remote.json has been read.
[[nodiscard]] JobStatus readStatusOf(const RemoteJob& job);

}  // namespace gantry
