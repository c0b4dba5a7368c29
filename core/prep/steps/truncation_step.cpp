#include "core/prep/steps/correction_step.h"

namespace gantry {

const CorrectionStep kTruncationStep = {
    .scope = StepScope::filter,
    .isOn =
        [](const Corrections& corrections) {
            return corrections.truncation.method != TruncationMethod::none;
        },
    .check =
        [](const Corrections& corrections, ProblemList& problems) {
            if (corrections.truncation.attenuationPerMm != 0)
                problems.range("prep.truncationPerMm", corrections.truncation.attenuationPerMm,
                               1e-6, 1000, " /mm");
            const double widthMm = corrections.truncation.fieldOfViewMm;
            if (widthMm == 0) return;
            problems.range("prep.fieldOfViewMm", widthMm, 1e-6, 1e6, " mm");
            if (corrections.truncation.method == TruncationMethod::none)
                problems.errorOf("prep.fieldOfViewMm",
                                 "has no effect while prep.truncation is off; set that to auto "
                                 "(--truncation auto), or leave the field of view out");
        },
};

}  // namespace gantry
