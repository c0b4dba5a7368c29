#include "core/prep/steps/correction_step.h"

namespace gantry {

const CorrectionStep kRepairStep = {
    .scope = StepScope::pixel,
    .ofView = [](const Corrections&, const StoredViews& views) -> ViewCorrection {
        if (!views.repair) return {};
        return [repair = views.repair](Span3<float> rows, const RowsOfView& place, InvalidPixels&) {
            repair->apply(place.firstRow, rows);
        };
    },
};

}  // namespace gantry
