#include <gantry/reconstruct.h>
#include <gantry/volume.h>

#include "app/api/prepared_run.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/geometry/check/validate.h"
#include "core/io/volume/memory_sink.h"
#include "core/recon/reconstruct.h"

namespace gantry {

namespace {

void runInto(VolumeSink& sink, const PreparedRun& run, const Engines& engines,
             const RunControl& control) {
    RunObserver observer;
    observer.progress = control.progress;
    reconstruct(run.scan, run.spec, run.planned.plan, engines.behind(), sink, observer,
                control.stop);
    sink.finish(run.planned.plan.threads, control.stop);
}

}  // namespace

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

}  // namespace gantry
