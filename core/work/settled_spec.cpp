#include "core/work/settled_spec.h"

#include <utility>

#include "core/base/error.h"
#include "core/geometry/check/validate.h"
#include "core/machine/choose_rows.h"
#include "core/machine/measure.h"

namespace gantry {

namespace {

struct Chosen {
    RowsChoice choice;
    std::optional<OpenScan> scan;
};

// What hinders it is told where the job is opened and planned.
Chosen chosenRows(const JobSpec& spec, const Machine& machine, const Backends& backends,
                  const std::stop_token& stop) {
    RowsChoice usual = usualRows(spec, machine);
    if (!areRowsOpen(spec, machine)) return {usual, {}};
    try {
        throwOnError(validate(spec.volume, spec.scan.geometry), "the volume");
        const OpenScan scan = openScan(spec.scan, stop, BadViews::refuse, FilterRows::upright);
        Facts facts;
        RowsChoice choice = chooseRows(facts, scan, spec, machine, backends, stop);
        OpenScan chosen = withRows(scan, choice.rows);
        return {std::move(choice), std::move(chosen)};
    } catch (const Cancelled&) {
        throw;
    } catch (const Error&) {
        return {usual, {}};
    }
}

}  // namespace

SettledSpec settled(JobSpec spec, const std::optional<Checkpoint>& checkpoint,
                    const Backends& backends, bool choosesRows, const std::stop_token& stop) {
    Chosen chosen;
    RowsChoice& choice = chosen.choice;
    // Earlier versions recorded nothing and filtered only along upright rows.
    if (checkpoint && !checkpoint->allDone().empty())
        choice.rows = checkpoint->rows.value_or(FilterRows::upright);
    else if (choosesRows)
        chosen = chosenRows(spec, machineOf(backends), backends, stop);
    else
        choice = usualRows(spec, machineOf(backends));
    spec.rows = choice.rows;
    return {std::move(spec), std::move(choice.reason), std::move(chosen.scan)};
}

std::optional<FilterRows> recordedRows(const JobSpec& settled) {
    const ScanGeometry& declared = settled.scan.geometry;
    const bool isAsBefore =
        settled.rows == FilterRows::upright ||
        (settled.rows == FilterRows::own && (declared.isAligned() || declared.poses() != nullptr));
    return isAsBefore ? std::nullopt : settled.rows;
}

}  // namespace gantry
