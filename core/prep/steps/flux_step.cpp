#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

void checkAirRegion(const Corrections& corrections, ProblemList& problems) {
    constexpr const char* kField = "prep.airRegion";
    const std::vector<Index>& region = corrections.flux.airRegion;
    if (region.empty()) return;
    if (!corrections.hasFlux())
        return problems.errorOf(kField,
                                "has no effect while prep.flux is none; set that to air (--flux "
                                "air), or leave the region out");
    checkRegion(kField, region, problems);
}

}  // namespace

const CorrectionStep kFluxStep = {
    .scope = StepScope::beam,
    .isOn = [](const Corrections& corrections) { return corrections.hasFlux(); },
    .check = checkAirRegion,
    .describe = [](const Corrections& corrections) -> std::string {
        return corrections.flux.method == FluxMethod::plane
                   ? "each view was divided by a plane through its air beside the object"
                   : "each view was divided by its air beside the object";
    },
    .turnOff = [](Corrections& corrections) { corrections.flux = {}; },
};

}  // namespace gantry
