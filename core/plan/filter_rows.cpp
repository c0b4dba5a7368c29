#include "core/plan/filter_rows.h"

#include "core/plan/device_choice.h"

namespace gantry {

FilterRows filterRowsOf(const JobSpec& job, const Machine& machine) {
    if (job.rows) return *job.rows;
    const ScanGeometry& declared = job.scan.geometry;
    if (declared.poses() || declared.isAligned()) return FilterRows::own;
    return runsOnDevices(job, machine) ? FilterRows::upright : FilterRows::own;
}

std::string rowsNote(const Acquisition& acquisition, EngineKind engine) {
    const bool onGpus = engine == EngineKind::gpu;
    if (!acquisition.rectifier.isIdentity()) {
        std::string note =
            "Each view is resampled onto an upright detector, without roll, tilt and slant.";
        if (onGpus)
            note +=
                " GPUs are fastest so; along the detector's own rows nothing is resampled, "
                "which is a little sharper where pixels are coarse.";
        return note;
    }
    if (acquisition.geometry.areAligned()) return {};
    std::string note = "Each view is filtered along its own detector's rows; none is resampled.";
    if (onGpus)
        note +=
            " GPUs back-project such views with a kernel that takes any pose, which is slower than "
            "those for an upright detector on a circle.";
    return note;
}

}  // namespace gantry
