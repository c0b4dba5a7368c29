#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/job/event_log.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// How a job stands, as its folder shows.
struct JobStatus {
    JobState state = JobState::queued;
    std::string message;               ///< of the state; of a failure: what happened
    ErrorCode code = ErrorCode::none;  ///< of a failure
    std::string field;                 ///< of a failure: the JSON name of what is wrong
    Progress progress;
    /// The job's time at work (WorkTime), where it has ended.
    std::optional<double> workSeconds;
    /// The process that works on the job or waits for its turn, while there is one.
    std::optional<int> workerPid;
    bool canResume = false;  ///< finished slabs of an interrupted run are there
};

/// Reads the end of events.jsonl and who holds the job's lock. A job that says that it is running
/// while nobody works on it has failed: its process was killed, or the machine restarted.
/// Cheap: at most some hundred kB are read, however long the log is.
/// @throws InputError when the folder holds no job
/// Tests: tests/core/job/job_status_test.cpp
[[nodiscard]] JobStatus readJobStatus(const std::filesystem::path& folder);

/// The name that an operator gave a job; empty: none. @throws InputError when it cannot be read
[[nodiscard]] std::string readJobName(const std::filesystem::path& folder);
/// Keeps it in the job's folder, also while the job runs. Empty: it has none any more.
/// @throws InputError, ResourceError when it cannot be written
void writeJobName(const std::filesystem::path& folder, const std::string& name);

/// The request of a job, without taking its lock. @throws InputError naming file and field
[[nodiscard]] JobSpec readJobRequest(const std::filesystem::path& folder);

}  // namespace gantry
