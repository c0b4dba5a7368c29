#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/backends.h"
#include "core/io/volume/volume_sink.h"
#include "core/pipeline/progress.h"
#include "core/pipeline/timeline.h"
#include "core/plan/job_plan.h"
#include "core/prep/line_integrals.h"
#include "core/recon/run_setup.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// What a run reports while it works; each may be empty.
struct RunObserver {
    SpanSink span;                                  ///< any thread
    std::function<void(const Progress&)> progress;  ///< a few times a second, any thread
    /// This run's part of these slabs of the plan is all with the sink, what other ranks make with
    /// them included, and so many invalid pixels were found in the views that it has read for them.
    /// Slabs are stored in any order. One thread at a time.
    std::function<void(const std::vector<Index>& slabs, const InvalidPixels& invalid)> slabsStored;
    std::int64_t originNs = 0;  ///< spans count from this time of nowNs()
};

/// Reconstructs the slabs of a plan that are not finished yet: loads, prepares, filters,
/// back-projects and stores, all at once on different batches, slab by slab. This is the only place
/// that knows the order of the stages (DESIGN.md section 4). Knows neither files nor jobs: views
/// come from the scan's source, slices go to the sink, which may both be memory. Several runs may
/// work at once in one process.
/// plan: planJob() of the same scan and request
/// sink: gets every slice of these slabs, and is not finished here, but by its owner
/// groups: of a plan of several ranks, each of which does this at the same time: the sink gets this
///         rank's part of each chunk. One process needs none
/// @returns the invalid pixels in the views of these slabs
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/recon/in_memory_test.cpp, tests/core/work/reconstruct_test.cpp
InvalidPixels reconstruct(const OpenScan& scan, const ReconstructionRequest& request,
                          const JobPlan& plan, const Backends& backends, VolumeSink& sink,
                          const RunObserver& observer, const std::stop_token& stop,
                          const RankGroups& groups = {});

/// What a user should know of how these views are reconstructed by this plan, in sentences.
[[nodiscard]] std::vector<std::string> notesOf(const OpenScan& scan, const JobPlan& plan);

/// Timeline lane of a thread that stores, counted from 1.
[[nodiscard]] std::string storeLaneName(const JobPlan& plan, int number);

}  // namespace gantry
