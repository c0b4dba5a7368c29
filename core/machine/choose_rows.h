#pragma once

#include <stop_token>

#include "core/engine/backends.h"
#include "core/plan/facts.h"
#include "core/plan/filter_rows.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The rows along which a job's views are filtered: as filterRowsOf(), and where GPUs could take
/// either kind, by which the run is predicted to be shorter. That is measured in a fraction of a
/// second: the GPUs' kernels are tried with both, and some views are resampled.
/// known: gets the answers added. scan: the job's, with any rows, with or without corrections
/// @throws InputError as runsOnDevices(); Cancelled
/// Tests: tests/core/machine/choose_rows_test.cpp
[[nodiscard]] RowsChoice chooseRows(Facts& known, const OpenScan& scan, const JobSpec& job,
                                    const Machine& machine, const Backends& backends,
                                    const std::stop_token& stop);

/// The same from what is known; measures nothing.
[[nodiscard]] RowsChoice rowsByFacts(const Facts& known, const OpenScan& scan, const JobSpec& job,
                                     const Machine& machine);

}  // namespace gantry
