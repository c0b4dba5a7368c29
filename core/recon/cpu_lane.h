#pragma once

#include <memory>
#include <vector>

#include "core/backproject/back_projector.h"
#include "core/recon/chunk_lane.h"
#include "core/recon/run_progress.h"
#include "core/recon/view_lanes.h"

namespace gantry {

/// The thread of a run that back-projects on the CPU, slab by slab.
/// Tests: tests/core/work/reconstruct_test.cpp
class CpuLane {
  public:
    CpuLane(const RunSetup& setup, std::unique_ptr<BackProjector> backProjector, ViewLanes& views,
            ChunkLane& chunks, RunProgress& progress);

    /// Takes filtered batches.
    [[nodiscard]] BatchOutlet filtered();
    /// @throws Cancelled, ResourceError
    void backproject(Lane& lane);

  private:
    void add(Lane& lane, const Batch& batch, Index slab);
    void readSlab(Lane& lane, Index slab);

    const RunSetup& m_setup;
    std::unique_ptr<BackProjector> m_backProjector;
    ViewLanes& m_views;
    ChunkLane& m_chunks;
    RunProgress& m_progress;
    std::vector<ProjectionMatrix> m_matrices;
    RingBuffer<Batch> m_filtered;
};

}  // namespace gantry
