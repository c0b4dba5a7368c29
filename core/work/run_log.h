#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "core/cluster/rank_clock.h"
#include "core/job/event_log.h"
#include "core/job/job_directory.h"
#include "core/plan/job_plan.h"
#include "core/report/job_result.h"

namespace gantry {

/// Logs when a run begins, and what came before it: how the run before ended where it did not log
/// that, and how long the pause was. events: in the state `running`; before: its content until then
/// Tests: tests/cli/test_resume.py
void logBegin(EventLog& events, const JobEvents& before);

/// Ends the run's time at work, and logs the job's duration. how: "Finished in"
void logEndOfWork(EventLog& events, const char* how) noexcept;

/// What the spans alone do not show, beside the forecast. The volume is complete in any case.
void logFigures(EventLog& events, const JobResult& result) noexcept;

/// The one time of the job that all report, and its speed.
void takeTimes(JobResult& result, const JobSpec& spec, EventLog& events);

/// The first failure is the one reported, also where the log itself fails.
void logEnd(EventLog& events, JobState state, const std::exception* failure = nullptr) noexcept;

/// How the clock of a rank on another machine than rank 0's goes against that; else nothing.
void logClock(EventLog& events, const RankClock::Estimate& clock);

/// Does what comes after the volume is complete: where it fails the job does not, and a warning
/// tells of it. failed: "The report was not written"
/// Tests: tests/core/work/device_forecast_test.cpp
void tryAfterTheEnd(EventLog& events, const char* failed,
                    const std::function<void()>& work) noexcept;

/// The engine of the volume, and that of an interrupted run's slabs where it differs.
[[nodiscard]] std::string engineOf(const JobPlan& plan,
                                   const std::optional<Checkpoint>& checkpoint);

}  // namespace gantry
