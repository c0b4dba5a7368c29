#pragma once

#include "core/geometry/volume_grid.h"
#include "core/plan/job_plan.h"

namespace gantry {

/// The part that all plans of a job share: threads, batches and the memory that it may use.
[[nodiscard]] JobPlan batchesOf(const PlanInputs& inputs);

/// Slices of a chunk of about `bytes` bytes; few enough that several are under way in a small
/// volume too.
[[nodiscard]] Index chunkSlicesOf(const VolumeGrid& grid, Index bytes);

/// Sets SlabPlan::counted so that the invalid pixels of each stored row are counted in one slab.
/// Slabs must come upwards, or as pairs from the outermost inwards and then those outside of them.
void countOnce(JobPlan& plan, const Acquisition& acquisition);

/// Host memory that a run holds in every pass, without the engine's and the sink's; bytes.
[[nodiscard]] Index hostBytesOfRun(const Acquisition& acquisition, const JobPlan& plan,
                                   const VolumeGrid& grid);

/// Bytes of the batches under way in a pass, by how far the host takes them. Where views are
/// gathered: of those that are read here, those that are gathered, and what is sent to others.
[[nodiscard]] Index hostBytesOfPass(const Acquisition& acquisition, const JobPlan& plan,
                                    const PassPlan& pass);

}  // namespace gantry
