#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/job/event_log.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// What the end of a job's events.jsonl says.
struct LogEnd {
    bool any = false;                 ///< there are events
    bool worked = false;              ///< there are events that come after a run's begin
    std::optional<JobState> state{};  ///< the last one
    std::string message{};            ///< of that state
    ErrorCode code = ErrorCode::none;
    std::string field{};
    std::optional<double> workSeconds{};
    std::optional<Progress> progress{};
    std::int64_t progressNs = 0;
    std::int64_t lastNs = 0;  ///< the latest moment reported

    /// The part of the job that is done.
    [[nodiscard]] double fraction() const { return progress ? progress->fraction : 0; }
};
/// Reads at most some hundred kB, however long the log is. Nothing if it cannot be read.
[[nodiscard]] LogEnd endOfLog(const std::filesystem::path& folder);

/// The state of a job, as its folder shows it.
struct JobStatus {
    JobState state = JobState::queued;
    std::string message;               ///< of the state; for a failure: what happened
    ErrorCode code = ErrorCode::none;  ///< for a failure
    std::string field;                 ///< for a failure: the JSON name of the wrong field
    Progress progress;
    /// How long the job ran (WorkTime), if it has ended.
    std::optional<double> workSeconds;
    /// The process that runs the job or waits for its turn, while there is one.
    std::optional<int> workerPid;
    bool canResume = false;  ///< slabs or iterations of an interrupted run are there
    /// Slabs or iterations are kept that the job, which may be under way, resumes from if it is
    /// interrupted.
    bool hasKept = false;
};

/// Reads the end of events.jsonl and who holds the job's lock. A job whose state is running while
/// nobody works on it has failed: its process was killed, or the machine restarted. It is cheap: at
/// most some hundred kB are read, however long the log is.
/// @throws InputError when the folder contains no job
/// Tests: tests/core/job/job_status_test.cpp
[[nodiscard]] JobStatus readJobStatus(const std::filesystem::path& folder);

/// The name that an operator gave a job; empty: none. @throws InputError when it cannot be read
[[nodiscard]] std::string readJobName(const std::filesystem::path& folder);
/// Stores it in the job's folder, also while the job runs. Empty: removes the name.
/// @throws InputError, ResourceError when it cannot be written
void writeJobName(const std::filesystem::path& folder, const std::string& name);

/// The request of a job, without taking its lock. @throws InputError naming file and field
[[nodiscard]] JobSpec readJobRequest(const std::filesystem::path& folder);

}  // namespace gantry
