#pragma once

#include <functional>
#include <memory>

#include "core/cluster/rank_group.h"
#include "core/plan/job_plan.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The ranks of the plan's grid that this one works with; each is used by one thread of the run.
struct RankGroups {
    RankGroup* row = nullptr;     ///< with which slabs are summed; none where it has one column
    RankGroup* column = nullptr;  ///< with which views are gathered; none where they are not
};

/// What is reconstructed and how, for all lanes of a run; it outlives them. In this room a lane is
/// a thread of the run and its lane of the timeline (Lane of core/pipeline/runner.h).
struct RunSetup {
    const OpenScan& scan;
    const ReconstructionRequest& request;
    const JobPlan& plan;
    const RankGroups& groups;

    [[nodiscard]] Index passCount() const { return static_cast<Index>(plan.passes.size()); }
    [[nodiscard]] const PassPlan& pass(Index i) const {
        return plan.passes[static_cast<std::size_t>(i)];
    }
    /// The pass in which a slab is made.
    [[nodiscard]] Index passOf(Index slab) const;
    /// The first slab of a pass, for the spans of work that all its slabs share.
    [[nodiscard]] Index firstSlab(Index pass) const;
    /// Stored rows whose invalid pixels are counted with a pass, where the host looks for them.
    [[nodiscard]] IndexRange countedIn(Index pass) const;
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
