#pragma once

#include <gantry/engines.h>
#include <gantry/scan.h>

#include <optional>
#include <stop_token>

#include "core/machine/measure.h"
#include "core/plan/job_spec.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// A scan and a request with nothing left open, and how they are reconstructed.
struct PreparedRun {
    JobSpec spec;   ///< is the request
    OpenScan scan;  ///< filtered along the rows that the engine takes, and corrected
    PlannedRun planned;
};

/// output: none where the slices go elsewhere
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/install/test_install.py
[[nodiscard]] PreparedRun prepareRun(const Scan& scan, const ReconstructionRequest& request,
                                     const Engines& engines,
                                     const std::optional<OutputFormat>& output, Purpose purpose,
                                     const std::stop_token& stop);

}  // namespace gantry
