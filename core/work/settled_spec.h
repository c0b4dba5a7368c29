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
    /// The scan with these rows, where it had to be opened to choose them.
    std::optional<OpenScan> scan;
};

/// The request with every choice made that all slabs must share: an interrupted run's views are
/// filtered along the same rows on any machine that resumes it.
/// choosesRows: GPUs may be tried for that, see chooseRows()
/// @throws InputError as filterRowsOf(); Cancelled
/// Tests: tests/core/work/job_rows_test.cpp
[[nodiscard]] SettledSpec settled(JobSpec spec, const std::optional<Checkpoint>& checkpoint,
                                  const Backends& backends, bool choosesRows,
                                  const std::stop_token& stop);

/// The rows of settled(), for Checkpoint::rows; none if earlier versions could resume, as these
/// cannot read the field.
[[nodiscard]] std::optional<FilterRows> recordedRows(const JobSpec& settled);

}  // namespace gantry
