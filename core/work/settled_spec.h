#pragma once

#include <optional>

#include "core/engine/backends.h"
#include "core/job/job_directory.h"

namespace gantry {

/// The request with nothing left open that all slabs have in common: an interrupted run's views are
/// filtered along the same rows on any machine that resumes it.
/// @throws InputError as filterRowsOf()
/// Tests: tests/core/work/job_rows_test.cpp
[[nodiscard]] JobSpec settled(JobSpec spec, const std::optional<Checkpoint>& checkpoint,
                              const Backends& backends);

/// Of settled(): for Checkpoint::rows, which earlier versions do not read where they cannot resume.
[[nodiscard]] std::optional<FilterRows> recordedRows(const JobSpec& settled);

}  // namespace gantry
