#pragma once

#include <optional>

#include "core/engine/backends.h"
#include "core/job/job_directory.h"

namespace gantry {

/// The request with every choice made that all slabs must share: an interrupted run's views are
/// filtered along the same rows on any machine that resumes it.
/// @throws InputError as filterRowsOf()
/// Tests: tests/core/work/job_rows_test.cpp
[[nodiscard]] JobSpec settled(JobSpec spec, const std::optional<Checkpoint>& checkpoint,
                              const Backends& backends);

/// The rows of settled(), for Checkpoint::rows; none if earlier versions could resume, as these
/// cannot read the field.
[[nodiscard]] std::optional<FilterRows> recordedRows(const JobSpec& settled);

}  // namespace gantry
