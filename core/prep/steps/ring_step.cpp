#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

void checkRings(const Corrections& corrections, ProblemList& problems) {
    const RingSpec& rings = corrections.rings;
    if (rings.method == RingMethod::wavelets) {
        problems.count("prep.ringLevels", rings.levels, 1, 12);
        problems.range("prep.ringDampCycles", rings.dampCycles, 0.1, 100, " cycles a scan");
    } else if (corrections.hasRings()) {
        problems.oddWidth("prep.ringWidthPx", rings.widthPx, 1001);
    }
}

std::string describeRings(const Corrections& corrections) {
    const RingSpec& rings = corrections.rings;
    if (rings.method == RingMethod::wavelets)
        return fmt::format(
            "rings were removed by wavelets (Münch et al. 2009; {} levels, {} "
            "cycles)",
            rings.levels, rings.dampCycles);
    const bool isSorting = rings.method == RingMethod::sorting;
    return fmt::format(
        "rings were removed by {} ({}; {} pixels)",
        isSorting ? name(rings.method) : "a smoothed mean",
        isSorting ? "Vo, Atwood, Drakopoulos 2018, algorithm 3" : "after Boin, Haibel 2006",
        rings.widthPx);
}

}  // namespace

RingSpec ringsOnPixels(const Corrections& corrections) {
    RingSpec rings = corrections.rings;
    const Index bin = corrections.pixels.bin;
    if (bin == 1) return rings;
    rings.widthPx = std::max<Index>(3, rings.widthPx / bin | 1);  // odd
    rings.levels =
        std::max<Index>(1, rings.levels + 1 - std::bit_width(static_cast<std::uint64_t>(bin)));
    return rings;
}

const CorrectionStep kRingStep = {
    .scope = StepScope::allViews,
    .isOn = [](const Corrections& corrections) { return corrections.hasRings(); },
    .check = checkRings,
    .describe = describeRings,
    .workspaceBytes =
        [](const Corrections& corrections, const StepViews& views) {
            return RingRemover::workspaceBytes(ringsOnPixels(corrections), views.views,
                                               views.columns);
        },
    .turnOff = [](Corrections& corrections) { corrections.rings = {}; },
    .ofAllViews =
        [](const Corrections& corrections, Span3<float> views, int threads,
           const std::stop_token& stop) {
            removeRings(views, ringsOnPixels(corrections), threads, stop);
        },
};

}  // namespace gantry
