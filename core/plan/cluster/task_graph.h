#pragma once

#include <vector>

#include "core/base/types.h"

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

}  // namespace gantry
