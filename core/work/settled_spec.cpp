#include "core/work/settled_spec.h"

#include <utility>

#include "core/base/error.h"
#include "core/geometry/check/validate.h"
#include "core/machine/choose_rows.h"
#include "core/machine/measure.h"
#include "core/scan/inspect/find_extension.h"

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
        throwOnError(validate(spec.volume, spec.geometry()), "the volume");
        const OpenScan scan =
            selected(openScan(spec.scan, stop, BadViews::refuse, FilterRows::upright),
                     spec.corrections.pixels);
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

// Views that cannot be read are told where the run reads them.
OpenScan extended(const JobSpec& spec, std::optional<OpenScan> opened,
                  const std::stop_token& stop) {
    const OpenScan scan = opened ? *std::move(opened)
                                 : selected(openScan(spec.scan, stop, BadViews::refuse, *spec.rows),
                                            spec.corrections.pixels);
    return withExtension(scan, findExtension(scan, spec.corrections, spec.threads, stop));
}

void settleExtension(const std::stop_token& stop, SettledSpec& settled) {
    if (settled.spec.corrections.truncation.method == TruncationMethod::none) return;
    try {
        settled.scan = extended(settled.spec, std::move(settled.scan), stop);
        settled.spec.extension = settled.scan->redundancy.extension;
    } catch (const Cancelled&) {
        throw;
    } catch (const Error&) {
        settled.scan.reset();
    }
}

}  // namespace

SettledSpec settled(JobSpec spec, const std::optional<Checkpoint>& checkpoint,
                    const Backends& backends, Settling by, const std::stop_token& stop) {
    settleMethod(spec);
    spec.extension.emplace();
    // Earlier versions recorded nothing, filtered only along upright rows and extended none.
    if (checkpoint && !checkpoint->allDone().empty()) {
        spec.rows = checkpoint->choices.rows.value_or(FilterRows::upright);
        spec.extension = checkpoint->choices.extension;
        return {std::move(spec), {}, {}};
    }
    Chosen chosen;
    if (by == Settling::byTrial)
        chosen = chosenRows(spec, machineOf(backends), backends, stop);
    else
        chosen.choice = usualRows(spec, machineOf(backends));
    spec.rows = chosen.choice.rows;
    SettledSpec settled = {std::move(spec), std::move(chosen.choice.reason),
                           std::move(chosen.scan)};
    if (by != Settling::byRules) settleExtension(stop, settled);
    return settled;
}

ViewChoices recordedChoices(const JobSpec& settled) {
    const ScanGeometry& declared = settled.scan.geometry;
    const bool isAsBefore =
        settled.rows == FilterRows::upright ||
        (settled.rows == FilterRows::own && (declared.isAligned() || declared.poses() != nullptr));
    return {isAsBefore ? std::nullopt : settled.rows, *settled.extension};
}

}  // namespace gantry
