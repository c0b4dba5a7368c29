#include "core/scan/view_corrector.h"

#include <algorithm>
#include <utility>

#include "core/base/index_ranges.h"

namespace gantry {

namespace {

// The forms of the steps of single views that are of scope pixel, or the others.
std::vector<ViewCorrection> formsOf(const Corrections& corrections, const StoredViews& views,
                                    bool isOfPixels) {
    std::vector<ViewCorrection> forms;
    for (const CorrectionStep* step : stepsOf(corrections)) {
        if (!step->ofView || (step->scope == StepScope::pixel) != isOfPixels) continue;
        if (ViewCorrection form = step->ofView(corrections, views))
            forms.push_back(std::move(form));
    }
    return forms;
}

RowsOfView placeOf(const StoredRows& stored) {
    std::vector<IndexRange> counted;
    for (const IndexRange& part : stored.wanted.parts())
        counted.push_back(
            {std::max(part.begin, stored.counted.begin), std::min(part.end, stored.counted.end)});
    return {stored.view, stored.rows.begin, unionOf(std::move(counted))};
}

}  // namespace

StoredViews storedViewsOf(const Acquisition& stored, const PhaseOptics& optics) {
    const SourceInfo& info = stored.stored;
    return {{info.views, info.rows, info.columns, optics},
            stored.kind == ProjectionKind::counts,
            stored.calibration.get(),
            stored.repair.get(),
            &stored.rectifier,
            stored.offsets,
            stored.views};
}

ViewCorrector::ViewCorrector(const Acquisition& stored, const Corrections& corrections,
                             const PhaseOptics& optics)
    : m_type(stored.stored.pixelType),
      m_corrections(corrections),
      m_views(storedViewsOf(stored, optics)),
      m_ofPixels(formsOf(m_corrections, m_views, true)) {}

void ViewCorrector::integrals(const StoredRows& stored, Span3<float> out,
                              InvalidPixels& found) const {
    toFloat(m_type, stored.pixels, {out.data(), static_cast<std::size_t>(out.count())});
    const RowsOfView place = placeOf(stored);
    for (const ViewCorrection& form : m_ofPixels)
        form(out, place, found);
}

Span3<const float> ViewCorrector::apply(const StoredRows& stored, InvalidPixels& found) {
    const Index count = stored.rows.size() * m_views.columns;
    if (m_view.count() < count) m_view = HostBuffer<float>(count);
    const Span3<float> view = {m_view.data(), 1, stored.rows.size(), m_views.columns};
    integrals(stored, view, found);
    if (!m_areOthersMade) m_others = formsOf(m_corrections, m_views, false);
    m_areOthersMade = true;
    const RowsOfView place = placeOf(stored);
    for (const ViewCorrection& form : m_others)
        form(view, place, found);
    return view;
}

}  // namespace gantry
