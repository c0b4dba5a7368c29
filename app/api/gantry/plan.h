#pragma once

/// @file
/// What a reconstruction will take, before it is done.

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <gantry/engines.h>
#include <gantry/scan.h>
#include "core/io/volume/open_sink.h"
#include "core/plan/request.h"

namespace gantry {

/// The time of one stage of the run.
struct StageForecast {
    std::string stage;   ///< "load", "prepare", "filter", "back-project", "store", ...
    double seconds = 0;  ///< if it worked alone
};

/// What a reconstruction will need, and how it will be done.
struct PlanForecast {
    VolumeGrid volume;                  ///< that will be made
    std::string engine;                 ///< "2 × NVIDIA H200 (tile, exact)"
    std::vector<IndexRanges> slabs;     ///< slices that are made together, in this order
    Index memoryBytes = 0;              ///< of the host
    Index outputBytes = 0;              ///< on disk
    std::vector<StageForecast> stages;  ///< that work at the same time
    double seconds = 0;                 ///< of the whole; 0: not predicted
    std::string boundingStage;          ///< the slowest one, which the others wait for
    std::vector<std::string> notes;     ///< sentences on what differs from what one may expect
};

/// Measures this machine for a second or two, plans, and predicts. output: none for a volume that
/// stays in memory
/// @throws InputError, ResourceError: one sentence on why it cannot be done and what to change
/// Tests: tests/install/test_install.py
[[nodiscard]] PlanForecast planReconstruction(const Scan& scan,
                                              const ReconstructionRequest& request,
                                              const Engines& engines,
                                              const std::optional<OutputFormat>& output = {},
                                              const std::stop_token& stop = {});

}  // namespace gantry
