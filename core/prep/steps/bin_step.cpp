#include <fmt/format.h>

#include "core/prep/steps/correction_step.h"

namespace gantry {

const CorrectionStep kBinStep = {
    .scope = StepScope::stored,
    .isOn = [](const Corrections& corrections) { return corrections.bin > 1; },
    .check = [](const Corrections& corrections,
                ProblemList& problems) { problems.count("prep.bin", corrections.bin, 1, kMaxBin); },
    .describe =
        [](const Corrections& corrections) {
            return fmt::format("each {0} × {0} pixels were averaged", corrections.bin);
        },
};

}  // namespace gantry
