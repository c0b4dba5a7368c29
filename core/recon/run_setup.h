#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/plan/job_plan.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// What is reconstructed and how, for all lanes of a run; it outlives them. In this room a lane is
/// a thread of the run and its lane of the timeline (Lane of core/pipeline/runner.h).
struct RunSetup {
    const OpenScan& scan;
    const ReconstructionRequest& request;
    const JobPlan& plan;
    std::vector<PassPlan> passes;

    [[nodiscard]] Index passCount() const { return static_cast<Index>(passes.size()); }
    [[nodiscard]] const PassPlan& pass(Index i) const {
        return passes[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] const SlabPlan& slab(Index i) const {
        return plan.slabs[static_cast<std::size_t>(i)];
    }
    /// Of the views as filter and back-projection see them.
    [[nodiscard]] Index columns() const { return scan.geometry.detector.columns; }
    /// Voxel updates of one batch on one slab.
    [[nodiscard]] Index updates(const SlabPlan& slab, IndexRange views) const {
        return request.volume.voxels[0] * request.volume.voxels[1] * slab.slices.size() *
               views.size();
    }
};

/// Pins memory of the host for devices; may be empty, or return nothing. From any thread.
using Pin = std::function<std::shared_ptr<void>(void* data, Index bytes)>;

}  // namespace gantry
