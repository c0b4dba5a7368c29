#include "core/work/settled_spec.h"

#include <utility>

#include "core/base/error.h"
#include "core/geometry/check/validate.h"
#include "core/machine/choose_rows.h"
#include "core/machine/measure.h"

namespace gantry {

namespace {

// What hinders it is told where the job is opened and planned.
RowsChoice chosenRows(const JobSpec& spec, const Machine& machine, const Backends& backends,
                      const std::stop_token& stop) {
    RowsChoice usual = usualRows(spec, machine);
    if (!areRowsOpen(spec, machine)) return usual;
    try {
        throwOnError(validate(spec.volume, spec.scan.geometry), "the volume");
        Facts facts;
        return chooseRows(facts, openScan(spec.scan, stop, BadViews::refuse, FilterRows::upright),
                          spec, machine, backends, stop);
    } catch (const Cancelled&) {
        throw;
    } catch (const Error&) {
        return usual;
    }
}

}  // namespace

SettledSpec settled(JobSpec spec, const std::optional<Checkpoint>& checkpoint,
                    const Backends& backends, bool choosesRows, const std::stop_token& stop) {
    RowsChoice choice;
    // Earlier versions recorded nothing and filtered only along upright rows.
    if (checkpoint && !checkpoint->allDone().empty())
        choice.rows = checkpoint->rows.value_or(FilterRows::upright);
    else if (choosesRows)
        choice = chosenRows(spec, machineOf(backends), backends, stop);
    else
        choice = usualRows(spec, machineOf(backends));
    spec.rows = choice.rows;
    return {std::move(spec), std::move(choice.reason)};
}

std::optional<FilterRows> recordedRows(const JobSpec& settled) {
    const ScanGeometry& declared = settled.scan.geometry;
    const bool isAsBefore =
        settled.rows == FilterRows::upright ||
        (settled.rows == FilterRows::own && (declared.isAligned() || declared.poses() != nullptr));
    return isAsBefore ? std::nullopt : settled.rows;
}

}  // namespace gantry
