#include <fmt/format.h>

#include <memory>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

void checkZingers(const Corrections& corrections, ProblemList& problems) {
    if (!corrections.hasZingers()) return;
    problems.range("prep.zingerRatio", corrections.zingers.ratio, 1.001, 1000, "");
    problems.oddWidth("prep.zingerWidthPx", corrections.zingers.widthPx, 15);
}

}  // namespace

const CorrectionStep kZingerStep = {
    .scope = StepScope::rows,
    .isOn = [](const Corrections& corrections) { return corrections.hasZingers(); },
    .check = checkZingers,
    .describe =
        [](const Corrections& corrections) {
            return fmt::format(
                "pixels more than {} times as bright as the median around them were replaced by it",
                corrections.zingers.ratio);
        },
    .marginRows = [](const Corrections& corrections) { return corrections.zingers.widthPx / 2; },
    .workspaceBytes =
        [](const Corrections& corrections, const StepViews& views) {
            return ZingerRemover::workspaceBytes(corrections.zingers, views.columns);
        },
    .ofView = [](const Corrections& corrections, const StoredViews& views) -> ViewCorrection {
        return [remover = std::make_shared<ZingerRemover>(corrections.zingers, views.columns)](
                   Span3<float> rows, const RowsOfView& place, InvalidPixels& found) {
            remover->apply(rows, [&](Index row, Index replaced) {
                const Index v = place.firstRow + row;
                for (const IndexRange& part : place.counted.parts())
                    if (part.contains(v)) found.zingers += replaced;
            });
        };
    },
};

}  // namespace gantry
