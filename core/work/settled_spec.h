#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/engine/backends.h"
#include "core/job/job_directory.h"
#include "core/scan/open_scan.h"

namespace gantry {

struct SettledSpec {
    JobSpec spec;
    std::string reason;  ///< why these rows, in a sentence; empty where there was no choice
    /// The scan with these rows, where it had to be opened to settle the request.
    std::optional<OpenScan> scan;
};

/// What a process may do to settle a request.
enum class Settling {
    byTrial,  ///< GPUs may be tried, see chooseRows(), and views are looked at
    byViews,  ///< views are looked at: the first of several ranks
    byRules,  ///< the other ranks, which take over what the first one has chosen
};

/// The request with every choice made that all slabs must share: an interrupted run's views are
/// filtered along the same rows, and these extended alike, on any machine that resumes it.
/// @throws InputError as filterRowsOf(); Cancelled
/// Tests: tests/core/work/job_rows_test.cpp, tests/core/work/cut_off_job_test.cpp
[[nodiscard]] SettledSpec settled(JobSpec spec, const std::optional<Checkpoint>& checkpoint,
                                  const Backends& backends, Settling by,
                                  const std::stop_token& stop);

/// The choices of settled(), for Checkpoint::choices; without rows if earlier versions could
/// resume, as these cannot read the field.
[[nodiscard]] ViewChoices recordedChoices(const JobSpec& settled);

}  // namespace gantry
