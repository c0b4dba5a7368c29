#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

#include "core/pipeline/progress.h"

namespace gantry {

/// How far an iterative run is: the start, the views and each iteration count as a part.
/// Thread-safe. Tests: tests/core/recon/iterative_run_test.cpp
class IterationProgress {
  public:
    using Report = std::function<void(const Progress&)>;

    IterationProgress(Index iterations, Report report);

    /// Starts the clock; done: iterations of an interrupted run.
    void begin(Index done);
    /// The share of the part at work that is done; reports it when it is time.
    void share(double share);
    /// The same for a part that takes so many voxel updates.
    void add(double updates, double ofPart);
    /// Goes on to the next part; iteration: its number, from 1; 0: start or views.
    void next(Index iteration);

  private:
    void reportNow(std::int64_t now);

    const Index m_iterations;
    const Report m_report;
    std::mutex m_mutex;
    Index m_iteration = 0;  ///< at work
    Index m_prepared = 0;   ///< of start and views, parts that are done
    double m_share = 0;     ///< of the part at work
    double m_updates = 0;
    Index m_made = 0;  ///< iterations by this run
    std::int64_t m_beginNs = 0;
    std::int64_t m_firstNs = 0;  ///< when its first iteration began
    std::int64_t m_reportedNs = 0;
};

}  // namespace gantry
