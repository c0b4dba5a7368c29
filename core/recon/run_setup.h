#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "core/cluster/rank_group.h"
#include "core/pipeline/progress.h"
#include "core/plan/job_plan.h"
#include "core/scan/open_scan.h"

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

/// The groups of ranks of the plan's grid that this rank belongs to; one thread of the run uses
/// each.
struct RankGroups {
    RankGroup* row = nullptr;     ///< sums slabs; null where the grid has one column
    RankGroup* column = nullptr;  ///< gathers views; null where they are not gathered
    RankGroup* parts = nullptr;   ///< all ranks; of an iterative method alone
    /// Returns the number of the pass to make next; JobPlan::spare is numbered after the plan's
    /// own. Nothing: no pass is left. Empty: the plan's own passes in order. One thread calls it,
    /// and it may wait.
    std::function<std::optional<Index>(const std::stop_token& stop)> nextPass{};
};

/// What is reconstructed and how, for all threads of a run; it outlives them. In this room a lane
/// is a thread of the run and its timeline lane (Lane of core/pipeline/runner.h).
struct RunSetup {
    const OpenScan& scan;
    const ReconstructionRequest& request;
    const JobPlan& plan;
    const RankGroups& groups;

    /// Counts all passes that this run may make.
    [[nodiscard]] Index passCount() const { return plan.passCount(); }
    [[nodiscard]] const PassPlan& pass(Index i) const { return plan.pass(i); }
    /// The pass that comes after `made` passes; nothing where there is none.
    [[nodiscard]] std::optional<Index> passAfter(Index made, const std::stop_token& stop) const;
    /// The pass in which a slab is made.
    [[nodiscard]] Index passOf(Index slab) const;
    /// The first slab of a pass, for the spans of work that all its slabs share.
    [[nodiscard]] Index firstSlab(Index pass) const;
    /// Stored rows whose invalid pixels are counted with a pass, where the host finds them.
    [[nodiscard]] IndexRange countedIn(Index pass) const;
    [[nodiscard]] const SlabPlan& slab(Index i) const { return plan.slabs[i]; }
    /// Detector columns of the views as filter and back-projection see them.
    [[nodiscard]] Index columns() const { return scan.geometry.detector.columns; }
    /// Voxel updates of one batch on one slab.
    [[nodiscard]] Index updates(const SlabPlan& slab, IndexRange views) const {
        return request.volume.voxels[0] * request.volume.voxels[1] * slab.slices.size() *
               views.size();
    }
};

/// Pins memory of the host for devices; it may be empty or return nothing. Safe from any thread.
using Pin = std::function<std::shared_ptr<void>(void* data, Index bytes)>;

}  // namespace gantry
