#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/pipeline/timeline.h"
#include "core/prep/line_integrals.h"
#include "core/recon/backends.h"
#include "core/recon/event_log.h"
#include "core/recon/job_directory.h"
#include "core/recon/scan_views.h"
#include "core/recon/volume_summary.h"

namespace gantry {

/// What a run needs from its surroundings.
struct RunContext {
    const Backends& backends;
    std::stop_token stop;
    std::function<void(const Progress&)> onProgress;  ///< a few times a second, any thread
};

/// What a finished run can tell.
struct RunResult {
    TimelineSummary timeline;  ///< of all runs of the job
    double wallSeconds = 0;    ///< the job's time at work (WorkTime): all runs, without pauses
    double pausedSeconds = 0;  ///< between runs that were interrupted and the next ones
    double cpuSeconds = 0;     ///< processor time of all threads in this run
    double gups = 0;           ///< voxel updates of the volume a second at work, in 2³⁰
    GateCounts gate;
    std::vector<std::string> notes;
    std::vector<LeftOutView> leftOut;
    std::string engine;
    Index slabs = 0;
    Index slabsResumed = 0;  ///< taken over from an interrupted run
    Index forecastHostBytes = 0;
    float smallest = 0;  ///< attenuation in the volume, 1/mm
    float largest = 0;
    std::array<VolumeSummary::Image, 3> centralSlices;
};

/// Runs a job in this process: loads, prepares, filters, back-projects and stores, all at once on
/// different batches, slab by slab where the volume does not fit the memory allowed. A job that was
/// interrupted goes on from its finished slabs. This is the only place that knows the order of the
/// stages (DESIGN.md section 4).
///
/// Leaves the volume under its final name, a record beside it, and events, preview and report in
/// the job's folder; after a failure the output is what it was before.
/// @throws InputError, ResourceError, Cancelled; the event log then ends with that state
/// Tests: tests/core/recon/reconstruct_test.cpp
RunResult runJob(const JobDirectory& job, const RunContext& context);

}  // namespace gantry
