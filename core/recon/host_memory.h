#pragma once

#include "core/geometry/volume_grid.h"
#include "core/recon/job_directory.h"
#include "core/recon/job_plan.h"
#include "core/recon/job_spec.h"
#include "core/recon/open_scan.h"

namespace gantry {

/// Threads that a job takes.
[[nodiscard]] int threadsOf(const JobSpec& spec);

/// What every plan of a job begins with: threads, batches and the memory that it may hold.
[[nodiscard]] JobPlan batchesOf(const OpenScan& scan, const JobSpec& spec);

/// Slices of a chunk of about that many bytes; few enough that several are under way also in a
/// small volume.
[[nodiscard]] Index chunkSlicesOf(const VolumeGrid& grid, Index bytes);

/// Takes the slabs of an interrupted run over into the plan.
void keepSlabs(JobPlan& plan, const Checkpoint& checkpoint, const ScanGeometry& aligned,
               const VolumeGrid& grid);

/// Host memory that a run holds whatever pass it is at, back-projector aside; bytes.
[[nodiscard]] Index hostBytesOfRun(const OpenScan& scan, const JobPlan& plan,
                                   const VolumeGrid& grid);

/// The batches under way in a pass with these detector rows, by how far the host takes them.
[[nodiscard]] Index hostBytesOfPass(const OpenScan& scan, const JobPlan& plan, IndexRange rows);

}  // namespace gantry
