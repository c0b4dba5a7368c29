#pragma once

#include "core/job/event_log.h"

namespace gantry {

/// Logs when a run begins, and what came before it: how the run before ended where it did not log
/// that, and how long the pause was. events: in the state `running`; before: its content until then
/// Tests: tests/cli/test_resume.py
void logBegin(EventLog& events, const JobEvents& before);

/// Ends the run's time at work, and logs the job's duration. how: "Finished in"
void logEndOfWork(EventLog& events, const char* how) noexcept;

}  // namespace gantry
