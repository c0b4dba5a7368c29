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
    /// Called when this run's part of these slabs of the plan is completely with the sink,
    /// including what other ranks make with them; `invalid` are the invalid pixels in the views
    /// that it has read for them. Slabs are stored in any order. One thread at a time.
    std::function<void(const std::vector<Index>& slabs, const InvalidPixels& invalid)> slabsStored;
    std::int64_t originNs = 0;  ///< spans count from this time of nowNs()
};

/// Reconstructs the slabs of a plan, or by an iterative method the whole volume, that are not
/// finished yet: loads, prepares, filters, back-projects and stores, all at once on different
/// batches, slab by slab. This is the only place that knows the order of the stages
/// (resources/help/architecture.md). It knows neither files nor jobs: views come from the scan's
/// source and slices go to the sink, and both may be memory. Several runs may work at once in one
/// process. plan: planJob() of the same scan and request sink: gets every slice of these slabs; its
/// owner finishes it groups: for a plan of several ranks, each of which calls this at the same
/// time; the sink then
///         gets this rank's part of each chunk. One process needs none
/// @returns the invalid pixels in the views of these slabs
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/recon/in_memory_test.cpp, tests/core/work/reconstruct_test.cpp
InvalidPixels reconstruct(const OpenScan& scan, const ReconstructionRequest& request,
                          const JobPlan& plan, const Backends& backends, VolumeSink& sink,
                          const RunObserver& observer, const std::stop_token& stop,
                          const RankGroups& groups = {});

/// What a user should know about how this plan reconstructs these views, in sentences.
[[nodiscard]] std::vector<std::string> notesOf(const OpenScan& scan, const JobPlan& plan);

/// The name of the timeline lane of storing thread `number`, counted from 1.
[[nodiscard]] std::string storeLaneName(const JobPlan& plan, int number);

}  // namespace gantry
