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

/// Logs that a run begins, and what came before it: how the run before ended if it did not log
/// that, and how long the pause was. events: in the state `running`; before: its content until then
/// Tests: tests/cli/test_resume.py
void logBegin(EventLog& events, const JobEvents& before);

/// Ends the run's working time, and logs the job's duration. how: "Finished in"
void logEndOfWork(EventLog& events, const char* how) noexcept;

/// Logs figures that spans do not show, and the forecast. The volume is complete in any case.
void logFigures(EventLog& events, const JobResult& result) noexcept;

/// Sets the job's time, which every report uses, and its speed.
void takeTimes(JobResult& result, const JobSpec& spec, EventLog& events);

/// Logs the end of the job. The first failure is the one reported, even if logging itself fails.
void logEnd(EventLog& events, JobState state, const std::exception* failure = nullptr) noexcept;

/// Logs the clock of a rank relative to rank 0's, if it runs on another machine.
void logClock(EventLog& events, const RankClock::Estimate& clock);

/// Runs a step that follows the completed volume: its failure does not fail the job but is logged
/// as a warning. failed: "The report was not written" Tests:
/// tests/core/work/device_forecast_test.cpp
void tryAfterTheEnd(EventLog& events, const char* failed,
                    const std::function<void()>& work) noexcept;

/// The engine of the volume, and that of an interrupted run's slabs if it differs.
[[nodiscard]] std::string engineOf(const JobPlan& plan,
                                   const std::optional<Checkpoint>& checkpoint);

}  // namespace gantry
