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
        },
};

}  // namespace gantry
