#pragma once

#include <vector>

#include "core/pipeline/timeline.h"
#include "core/plan/cluster/cluster_model.h"

namespace gantry {

/// A run on a cluster as it would go by, batch by batch.
struct ClusterSimulation {
    double seconds = 0;
    /// Of the ranks of the grid's first column in its first, middle and last row.
    std::vector<TimelineSpan> spans;
};

/// What equations 8 to 19 cannot tell: how far the stages of the forecast overlap, with rings of
/// `ringSlots` batches between them, collectives that wait for the slowest rank, and one file
/// system for all. Finished slabs are copied, reduced and stored while the next ones are made.
/// The columns of a grid do the same at the same time, so one stands for all.
/// Tests: tests/core/plan/cluster_simulation_test.cpp
[[nodiscard]] ClusterSimulation simulateRun(const ClusterProblem& problem,
                                            const ClusterForecast& forecast, double gatherExposed,
                                            Index ringSlots = 4);

}  // namespace gantry
