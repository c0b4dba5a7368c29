#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/backproject/back_projector.h"
#include "core/plan/slabs.h"
#include "core/recon/backends.h"
#include "core/recon/job_directory.h"
#include "core/recon/job_spec.h"
#include "core/recon/open_scan.h"

namespace gantry {

/// How a job will be run on this machine: slabs, batches and the memory they take.
struct JobPlan {
    int threads = 1;
    Index batchViews = 0;
    Index batchesPerSlab = 0;
    Index ringSlots = 0;    ///< batches under way at once
    Index chunkSlices = 0;  ///< slices handed to the sink at a time
    Index chunkSlots = 0;
    std::vector<SlabPlan> slabs;
    Index hostBytes = 0;    ///< forecast of the most that the job holds at once
    Index budgetBytes = 0;  ///< what it may hold
};

/// What a job asks to be back-projected with, on its number of threads.
/// @throws InputError when it is not there
[[nodiscard]] std::unique_ptr<BackProjector> makeBackProjector(const JobSpec& spec,
                                                               const Backends& backends);

/// @param checkpoint  of an interrupted run: its slabs are kept, so that the result is the same
/// @throws ResourceError when not even one slice fits the memory allowed
/// Tests: tests/core/recon/reconstruct_test.cpp
[[nodiscard]] JobPlan planJob(const OpenScan& scan, const JobSpec& spec,
                              const BackProjector& backProjector,
                              const std::optional<Checkpoint>& checkpoint);

}  // namespace gantry
