#pragma once

#include <vector>

#include "core/pipeline/timeline.h"
#include "core/plan/cluster/cluster_model.h"

namespace gantry {

/// A simulated run on a cluster, batch by batch.
struct ClusterSimulation {
    double seconds = 0;
    /// Spans of the ranks in the grid's first column: of its first, middle and last row.
    std::vector<TimelineSpan> spans;
};

/// Simulates what equations 8 to 19 cannot predict: how far the stages of the forecast overlap,
/// with rings of `ringSlots` batches between them, collectives that wait for the slowest rank, and
/// one file system for all. Finished slabs are copied, reduced and stored while the next ones are
/// made. The columns of a grid do the same at the same time, so one represents all. Tests:
/// tests/core/plan/cluster_simulation_test.cpp
[[nodiscard]] ClusterSimulation simulateRun(const ClusterProblem& problem,
                                            const ClusterForecast& forecast, double gatherExposed,
                                            Index ringSlots = 4);

}  // namespace gantry
