#include <algorithm>

#include "core/prep/steps/correction_step.h"

namespace gantry {

// An upright detector's rows are copied.
const CorrectionStep kUprightStep = {
    .scope = StepScope::detector,
    .resample =
        [](const StoredViews& views, Span3<const float> rows, Index firstRow, Span3<float> out,
           Index outRow) {
            if (views.rectifier->isIdentity())
                std::copy_n(rows.row(0, outRow - firstRow), out.count(), out.data());
            else
                views.rectifier->apply(rows, firstRow, out, outRow);
        },
};

}  // namespace gantry
