#include "core/prep/corrections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/geometry/check/problem_list.h"

namespace gantry {

namespace {

void checkOddWidth(ProblemList& problems, const std::string& field, Index widthPx, Index maxPx) {
    if (problems.count(field, widthPx, 3, maxPx) && widthPx % 2 == 0)
        problems.errorOf(field, fmt::format("is {} pixels; it must be odd", widthPx));
}

void checkFlux(ProblemList& problems, const FluxSpec& flux) {
    constexpr const char* kField = "prep.airRegion";
    const std::vector<Index>& region = flux.airRegion;
    if (region.empty()) return;
    if (flux.method == FluxMethod::none)
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

std::vector<Problem> validate(const Corrections& corrections) {
    ProblemList problems;
    checkFlux(problems, corrections.flux);
    if (corrections.hasZingers()) {
        problems.range("prep.zingerRatio", corrections.zingers.ratio, 1.001, 1000, "");
        checkOddWidth(problems, "prep.zingerWidthPx", corrections.zingers.widthPx, 15);
    }
    if (corrections.hasPhase()) {
        const PhaseSpec& phase = corrections.phase;
        problems.range("prep.phaseEnergyKeV", phase.energyKeV, 0.1, 10000, " keV");
        problems.length("prep.phaseDistanceMm", phase.distanceMm, kMaxDistanceMm);
        problems.range("prep.phaseDeltaOverBeta", phase.deltaOverBeta, 1, 1e7, "");
    }
    const RingSpec& rings = corrections.rings;
    if (rings.method == RingMethod::wavelets) {
        problems.count("prep.ringLevels", rings.levels, 1, 12);
        problems.range("prep.ringDampCycles", rings.dampCycles, 0.1, 100, " cycles a scan");
    } else if (corrections.hasRings()) {
        checkOddWidth(problems, "prep.ringWidthPx", rings.widthPx, 1001);
    }
    if (corrections.truncation.attenuationPerMm != 0)
        problems.range("prep.truncationPerMm", corrections.truncation.attenuationPerMm, 1e-6, 1000,
                       " /mm");
    return std::move(problems).sorted();
}

std::string describe(const Corrections& corrections) {
    std::vector<std::string> parts;
    if (corrections.hasFlux())
        parts.emplace_back("each view was divided by its air beside the object");
    if (corrections.hasZingers())
        parts.push_back(
            fmt::format("pixels more than {} times as bright as the median around "
                        "them were replaced by it",
                        corrections.zingers.ratio));
    if (corrections.hasPhase())
        parts.push_back(
            fmt::format("the phase was retrieved (Paganin et al. 2002; {} keV, {} mm, "
                        "δ/β {})",
                        corrections.phase.energyKeV, corrections.phase.distanceMm,
                        corrections.phase.deltaOverBeta));
    const RingSpec& rings = corrections.rings;
    if (rings.method == RingMethod::wavelets)
        parts.push_back(
            fmt::format("rings were removed by wavelets (Münch et al. 2009; {} levels, "
                        "{} cycles)",
                        rings.levels, rings.dampCycles));
    else if (rings.method != RingMethod::none)
        parts.push_back(fmt::format(
            "rings were removed by {} ({}; {} pixels)",
            rings.method == RingMethod::sorting ? name(rings.method) : "a smoothed mean",
            rings.method == RingMethod::sorting ? "Vo, Atwood, Drakopoulos 2018, algorithm 3"
                                                : "after Boin, Haibel 2006",
            rings.widthPx));
    if (parts.empty()) return {};
    return fmt::format("Before the filter {}.", fmt::join(parts, "; "));
}

Index workspaceBytes(const Corrections& corrections, Index views, Index rows, Index columns) {
    Index ofView = 0;
    if (corrections.hasZingers())
        ofView += ZingerRemover::workspaceBytes(corrections.zingers, columns);
    if (corrections.hasPhase()) ofView += PhaseRetriever::workspaceBytes(rows, columns);
    // Rings are removed once all views are done, so the memory is not needed at the same time.
    return std::max(ofView, RingRemover::workspaceBytes(corrections.rings, views, columns));
}

}  // namespace gantry
