#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/recon/job_plan.h"
#include "core/recon/job_spec.h"
#include "core/recon/open_scan.h"

namespace gantry {

/// A job at hand, as the lanes of its run see it; it outlives them.
struct PlannedJob {
    const OpenScan& scan;
    const JobSpec& spec;
    JobPlan plan;
    std::vector<PassPlan> passes;

    [[nodiscard]] Index passCount() const { return static_cast<Index>(passes.size()); }
    [[nodiscard]] const PassPlan& pass(Index i) const {
        return passes[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] const SlabPlan& slab(Index i) const {
        return plan.slabs[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] const SourceInfo& source() const { return scan.source->info(); }
    /// Of the views as filter and back-projection see them.
    [[nodiscard]] Index columns() const { return scan.geometry.detector.columns; }
    [[nodiscard]] Index storedRowBytes() const {
        return source().columns * sizeBytes(source().pixelType);
    }
    /// Voxel updates of one batch on one slab.
    [[nodiscard]] Index updates(const SlabPlan& slab, IndexRange views) const {
        return spec.volume.voxels[0] * spec.volume.voxels[1] * slab.slices.size() * views.size();
    }
};

/// Locks memory of the host for devices; may be empty, or return nothing. From any thread.
using Pin = std::function<std::shared_ptr<void>(void* data, Index bytes)>;

}  // namespace gantry
