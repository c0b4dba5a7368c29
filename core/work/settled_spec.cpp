#include "core/work/settled_spec.h"

#include "core/machine/measure.h"
#include "core/plan/filter_rows.h"

namespace gantry {

JobSpec settled(JobSpec spec, const std::optional<Checkpoint>& checkpoint,
                const Backends& backends) {
    // Earlier versions recorded nothing and filtered only along upright rows.
    spec.rows = checkpoint && !checkpoint->allDone().empty()
                    ? checkpoint->rows.value_or(FilterRows::upright)
                    : filterRowsOf(spec, machineOf(backends));
    return spec;
}

std::optional<FilterRows> recordedRows(const JobSpec& settled) {
    const ScanGeometry& declared = settled.scan.geometry;
    const bool isAsBefore =
        settled.rows == FilterRows::upright ||
        (settled.rows == FilterRows::own && (declared.isAligned() || declared.poses() != nullptr));
    return isAsBefore ? std::nullopt : settled.rows;
}

}  // namespace gantry
