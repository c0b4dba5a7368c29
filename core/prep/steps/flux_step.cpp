#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

void checkRegion(const Corrections& corrections, ProblemList& problems) {
    constexpr const char* kField = "prep.airRegion";
    const std::vector<Index>& region = corrections.flux.airRegion;
    if (region.empty()) return;
    if (!corrections.hasFlux())
        return problems.errorOf(kField,
                                "has no effect while prep.flux is none; set that to air (--flux "
                                "air), or leave the region out");
    if (region.size() != 4)
        return problems.errorOf(
            kField, fmt::format("has {} numbers; it must have 4: first column, first row, and one "
                                "past the last column and row",
                                region.size()));
    if (region[0] < 0 || region[1] < 0 || region[2] <= region[0] || region[3] <= region[1])
        problems.errorOf(kField,
                         fmt::format("is {}; it must begin at 0 or above, and end (the third and "
                                     "the fourth number) behind its begin",
                                     fmt::join(region, ", ")));
}

}  // namespace

const CorrectionStep kFluxStep = {
    .scope = StepScope::beam,
    .isOn = [](const Corrections& corrections) { return corrections.hasFlux(); },
    .check = checkRegion,
    .describe = [](const Corrections&) -> std::string {
        return "each view was divided by its air beside the object";
    },
};

}  // namespace gantry
