#pragma once

#include <optional>
#include <string>

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

/// The engine of the volume, and that of an interrupted run's slabs where it differs.
[[nodiscard]] std::string engineOf(const JobPlan& plan,
                                   const std::optional<Checkpoint>& checkpoint);

}  // namespace gantry
