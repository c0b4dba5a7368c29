#include <gantry/reconstruct.h>

#include <gantry/engines.h>
#include <gantry/plan.h>
#include <gantry/scan.h>
#include <gantry/volume.h>

#include <optional>
#include <stop_token>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/geometry/check/validate.h"
#include "core/io/volume/memory_sink.h"
#include "core/job/job_directory.h"
#include "core/machine/choose_rows.h"
#include "core/machine/measure.h"
#include "core/plan/job_spec.h"
#include "core/recon/reconstruct.h"
#include "core/scan/inspect/find_extension.h"
#include "core/scan/open_scan.h"
#include "core/work/volume_store.h"

namespace gantry {

namespace {

// A scan and a request with nothing left open, and how they are reconstructed.
struct PreparedRun {
    JobSpec spec;   ///< is the request
    OpenScan scan;  ///< filtered along the rows that the engine takes, and corrected
    PlannedRun planned;
};

// output: none where the slices go elsewhere
// @throws InputError, ResourceError, Cancelled
// Tests: tests/install/test_install.py
PreparedRun prepareRun(const Scan& scan, const ReconstructionRequest& request,
                       const Engines& engines, const std::optional<OutputFormat>& output,
                       Purpose purpose, const std::stop_token& stop) {
    const Backends& backends = engines.backends();
    const OpenScan& opened = scan.behind();
    JobSpec spec;
    static_cast<ReconstructionRequest&>(spec) = request;
    spec.volume = volumeGridOf(scan, request);
    spec.scan = opened.description;
    throwOnError(validate(spec.volume, scan.geometry()), "The volume");
    throwOnError(validate(spec.method), "The request");
    settleMethod(spec);
    SinkNeeds needs;
    if (output) {
        spec.output = *output;
        checkOutputPlace(output->path);
        checkVoxels(*output);
        requireDisk(*output, spec.volume);
        needs = sinkNeedsOf(spec);
    }
    Facts facts;
    const FilterRows rows =
        chooseRows(facts, opened, spec, machineOf(backends), backends, stop).rows;
    const OpenScan aligned = rows == opened.rows ? opened : withRows(opened, rows);
    OpenScan prepared = extendedAndCorrected(aligned, spec.corrections, spec.threads, stop);
    PlannedRun planned = learnAndPlan(prepared, spec, backends, needs, purpose, {}, stop);
    return {std::move(spec), std::move(prepared), std::move(planned)};
}

void runInto(VolumeSink& sink, const PreparedRun& run, const Engines& engines,
             const RunControl& control) {
    RunObserver observer;
    observer.progress = control.progress;
    reconstruct(run.scan, run.spec, run.planned.plan, engines.backends(), sink, observer,
                control.stop);
    sink.finish(run.planned.plan.threads, control.stop);
}

}  // namespace

VolumeGrid volumeGridOf(const Scan& scan, const ReconstructionRequest& request) {
    if (request.volume != VolumeGrid()) return request.volume;
    if (scan.volume()) return *scan.volume();
    return fitGrid(selected(scan.geometry(), request.corrections.pixels), 0,
                   request.corrections.truncation.fieldOfViewMm);
}

void reconstruct(const Scan& scan, const ReconstructionRequest& request, const Engines& engines,
                 VolumeSink& sink, const RunControl& control) {
    runInto(sink, prepareRun(scan, request, engines, {}, Purpose::run, control.stop), engines,
            control);
}

void reconstruct(const Scan& scan, const ReconstructionRequest& request, const Engines& engines,
                 Span3<float> volume, const RunControl& control) {
    const auto [nX, nY, nZ] = volumeGridOf(scan, request).voxels;
    if (volume.size(0) != nZ || volume.size(1) != nY || volume.size(2) != nX)
        throw InputError(
            "The memory for the volume has another size than the volume that is asked "
            "for.");
    MemorySink sink(volume);
    reconstruct(scan, request, engines, sink, control);
}

Volume reconstruct(const Scan& scan, const ReconstructionRequest& request, const Engines& engines,
                   const RunControl& control) {
    Volume volume;
    volume.grid = volumeGridOf(scan, request);
    throwOnError(validate(volume.grid, scan.geometry()), "The volume");
    volume.voxels = HostBuffer<float>(volume.grid.count());
    reconstruct(scan, request, engines, volume.span(), control);
    return volume;
}

void reconstruct(const Scan& scan, const ReconstructionRequest& request, const Engines& engines,
                 const OutputFormat& output, const RunControl& control) {
    const PreparedRun run = prepareRun(scan, request, engines, output, Purpose::run, control.stop);
    requireInputsSpared(run.spec, {});
    const auto sink = openSink(output, run.spec.volume, SinkStart::fresh);
    try {
        runInto(*sink, run, engines, control);
    } catch (...) {
        sink->discard();
        throw;
    }
}

void writeVolume(const Volume& volume, const OutputFormat& output) {
    const auto sink = openSink(output, volume.grid, SinkStart::fresh);
    try {
        sink->write(0, volume.span(), availableThreads());
        sink->finish(availableThreads());
    } catch (...) {
        sink->discard();
        throw;
    }
}

PlanForecast planReconstruction(const Scan& scan, const ReconstructionRequest& request,
                                const Engines& engines, const std::optional<OutputFormat>& output,
                                const std::stop_token& stop) {
    const PreparedRun run = prepareRun(scan, request, engines, output, Purpose::forecast, stop);
    const JobPlan& plan = run.planned.plan;
    const Forecast& forecast = run.planned.forecast;
    PlanForecast result;
    result.volume = run.spec.volume;
    result.engine = engineName(plan);
    for (const SlabPlan& slab : plan.slabs)
        result.slabs.push_back(slab.slices);
    result.memoryBytes = plan.hostBytes;
    if (output) result.outputBytes = outputBytes(*output, run.spec.volume);
    for (const ForecastField& field : kForecastFields)
        if (const double seconds = forecast.*field.seconds; seconds > 0)
            result.stages.push_back({std::string(name(field.stage)), seconds});
    result.seconds = forecast.wall;
    result.boundingStage = forecast.boundingStage;
    result.notes = plan.notes;
    return result;
}

}  // namespace gantry
