#include <algorithm>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

InvalidPixels convert(const StoredViews& views, Index view, Index firstRow, Span3<float> rows) {
    const BeamOffset offset = views.offsets.empty() ? BeamOffset() : views.offsets[view];
    if (!views.areCounts) return cleanAttenuation(*views.calibration, firstRow, rows, offset);
    const Index number = views.numbers.empty() ? view : views.numbers[view];
    return toLineIntegrals(*views.calibration, firstRow, rows, number, offset);
}

// Rows that are not counted may be read twice, for what is around others.
void convertRows(const StoredViews& views, Span3<float> rows, const RowsOfView& place,
                 InvalidPixels& found) {
    const Index end = place.firstRow + rows.size(1);
    Index from = place.firstRow;
    const auto convertTo = [&](Index to, bool isCounted) {
        to = std::min(to, end);
        if (to <= from) return;
        const Span3<float> part = {rows.row(0, from - place.firstRow), 1, to - from, rows.size(2)};
        const InvalidPixels here = convert(views, place.view, from, part);
        if (isCounted) found += here;
        from = to;
    };
    for (const IndexRange& part : place.counted.parts()) {
        convertTo(part.begin, false);
        convertTo(part.end, true);
    }
    convertTo(end, false);
}

}  // namespace

const CorrectionStep kIntegralStep = {
    .scope = StepScope::pixel,
    .ofView = [](const Corrections&, const StoredViews& views) -> ViewCorrection {
        return [views](Span3<float> rows, const RowsOfView& place, InvalidPixels& found) {
            convertRows(views, rows, place, found);
        };
    },
};

}  // namespace gantry
