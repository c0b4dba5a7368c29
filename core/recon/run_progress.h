#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

#include "core/pipeline/progress.h"

namespace gantry {

/// How far a run has come, in voxel updates; reported a few times a second. A rank that makes more
/// than its planned part goes above 1. Thread-safe. Tests: tests/core/recon/run_progress_test.cpp
class RunProgress {
  public:
    using Report = std::function<void(const Progress&)>;

    /// @param before   part of the whole that an interrupted run has done
    /// @param updates  of the whole, including that part
    RunProgress(double before, double updates, Report report);

    /// Starts the clock.
    void start();
    /// Adds voxel updates done. Reports them when it is time, and at the end of a slab, because the
    /// next one may have to wait.
    void add(double updates, bool endsSlab);

  private:
    Report m_report;
    double m_before;
    double m_all;
    std::mutex m_mutex;
    double m_done = 0;  ///< by this run
    std::int64_t m_beginNs = 0;
    std::int64_t m_lastReportNs = 0;
};

}  // namespace gantry
