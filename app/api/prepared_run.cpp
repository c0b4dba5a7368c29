#include "app/api/prepared_run.h"

#include <gantry/reconstruct.h>

#include "core/geometry/check/validate.h"
#include "core/plan/filter_rows.h"
#include "core/scan/corrected_scan.h"
#include "core/work/volume_store.h"

namespace gantry {

VolumeGrid volumeGridOf(const Scan& scan, const ReconstructionRequest& request) {
    if (request.volume != VolumeGrid()) return request.volume;
    return scan.volume() ? *scan.volume() : fitGrid(scan.geometry());
}

PreparedRun prepareRun(const Scan& scan, const ReconstructionRequest& request,
                       const Engines& engines, const std::optional<OutputFormat>& output,
                       Purpose purpose, const std::stop_token& stop) {
    const Backends& backends = engines.behind();
    const OpenScan& opened = scan.behind();
    JobSpec spec;
    static_cast<ReconstructionRequest&>(spec) = request;
    spec.volume = volumeGridOf(scan, request);
    spec.scan = opened.description;
    throwOnError(validate(spec.volume, scan.geometry()), "The volume");
    SinkNeeds needs;
    if (output) {
        spec.output = *output;
        checkOutputPlace(output->path);
        requireDisk(*output, spec.volume);
        needs = sinkNeedsOf(spec);
    }
    const FilterRows rows = filterRowsOf(spec, machineOf(backends));
    OpenScan prepared =
        corrected(rows == opened.rows ? opened : withRows(opened, rows), spec.corrections);
    PlannedRun planned = learnAndPlan(prepared, spec, backends, needs, purpose, {}, stop);
    return {std::move(spec), std::move(prepared), std::move(planned)};
}

}  // namespace gantry
