#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

void checkPixels(const Corrections& corrections, ProblemList& problems) {
    const auto& [crop, bin] = corrections.pixels;
    problems.count("prep.bin", bin, 1, kMaxBin);
    if (!crop.empty()) checkRegion("prep.crop", crop, problems);
}

std::string describePixels(const Corrections& corrections) {
    const auto& [crop, bin] = corrections.pixels;
    std::string text;
    if (!crop.empty())
        text = fmt::format("columns {} to {} and rows {} to {} were taken", crop[0], crop[2] - 1,
                           crop[1], crop[3] - 1);
    if (bin > 1)
        text += fmt::format("{}each {} × {} pixels were averaged", text.empty() ? "" : " and ", bin,
                            bin);
    return text;
}

}  // namespace

const CorrectionStep kPixelStep = {
    .scope = StepScope::stored,
    .isOn = [](const Corrections& corrections) { return !corrections.pixels.isWhole(); },
    .check = checkPixels,
    .describe = describePixels,
};

}  // namespace gantry
