#include "core/machine/choose_rows.h"

#include "core/base/error.h"
#include "core/machine/measure.h"
#include "core/scan/corrected_scan.h"

namespace gantry {

namespace {

// Without what is measured in the whole scan, which changes no plan.
OpenScan withTheseRows(const OpenScan& scan, const JobSpec& job, FilterRows rows) {
    return corrected(withRows(scan.uncorrected ? *scan.uncorrected : scan, rows),
                     job.corrections.withoutMeasured());
}

void learnRows(Facts& known, const OpenScan& scan, const JobSpec& job, const Machine& machine,
               const Backends& backends, const std::stop_token& stop) {
    const PlanInputs inputs = {scan, job, machine, known};
    while (true) {
        const std::vector<Question> open = rowsQuestions(inputs);
        if (open.empty()) return;
        const Facts measured = measure(open, scan, job, backends, stop);
        for (const Facts::Fact& fact : measured.all())
            known.add(fact.question, fact.answer);
    }
}

}  // namespace

RowsChoice rowsByFacts(const Facts& known, const OpenScan& scan, const JobSpec& job,
                       const Machine& machine) {
    if (!areRowsOpen(job, machine)) return usualRows(job, machine);
    try {
        const OpenScan upright = withTheseRows(scan, job, FilterRows::upright);
        const OpenScan own = withTheseRows(scan, job, FilterRows::own);
        return fasterRows({upright, job, machine, known}, {own, job, machine, known});
    } catch (const Cancelled&) {
        throw;
    } catch (const Error&) {
        return usualRows(job, machine);  // what does not fit is told by the plan itself
    }
}

RowsChoice chooseRows(Facts& known, const OpenScan& scan, const JobSpec& job,
                      const Machine& machine, const Backends& backends,
                      const std::stop_token& stop) {
    if (!areRowsOpen(job, machine)) return usualRows(job, machine);
    try {
        const OpenScan upright = withTheseRows(scan, job, FilterRows::upright);
        if (isResamplingShort({upright, job, machine, known})) return usualRows(job, machine);
        learnRows(known, upright, job, machine, backends, stop);
        learnRows(known, withTheseRows(scan, job, FilterRows::own), job, machine, backends, stop);
    } catch (const Cancelled&) {
        throw;
    } catch (const Error&) {
        return usualRows(job, machine);
    }
    return rowsByFacts(known, scan, job, machine);
}

}  // namespace gantry
