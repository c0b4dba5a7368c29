#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/pipeline/timeline.h"
#include "core/plan/cluster/cluster_model.h"

namespace gantry {

/// Tasks that wait for each other and for servers; a discrete-event simulation computes when each
/// begins and ends. A server does one task at a time, in the order in which they become ready; a
/// task without a server only joins others and takes no turn. Tests:
/// tests/core/plan/task_graph_test.cpp
class TaskGraph {
  public:
    static constexpr Index kNoServer = -1;

    [[nodiscard]] Index addServer() { return m_servers++; }
    [[nodiscard]] Index addTask(Index server, double seconds);
    /// `task` begins when `before` has ended.
    void addDependency(Index before, Index task);

    struct Times {
        double begin = 0;
        double end = 0;
    };
    /// The times of each task, in the order in which they were added. @throws InternalError where
    /// tasks wait for each other in a circle
    [[nodiscard]] std::vector<Times> run() const;

  private:
    struct Task {
        Index server;
        double seconds;
        Index waitsFor = 0;        ///< number of tasks
        std::vector<Index> after;  ///< tasks that wait for it
    };

    Index m_servers = 0;
    std::vector<Task> m_tasks;
};

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
[[nodiscard]] ClusterSimulation simulateRun(const ClusterForecast& forecast, double gatherExposed,
                                            Index ringSlots = 4);

}  // namespace gantry
