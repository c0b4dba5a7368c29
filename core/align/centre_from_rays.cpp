#include "core/align/centre_from_rays.h"

#include <fmt/format.h>

#include "core/align/centre_search.h"
#include "core/align/estimate.h"
#include "core/align/opposite_rays.h"

namespace gantry {

namespace {

constexpr const char* kRays = "rays measured from both ends";

Finding search(const ViewStack& stack, const MatricesAt& matricesAt, const Misalignment& about,
               double rangePx, CommonToViews common, int threads, const std::stop_token& stop) {
    const auto at = [&](double centrePx, double slantDeg) {
        const Misalignment tried = {centrePx, about.rollDeg, about.tiltDeg,
                                    about.slantDeg + slantDeg};
        return oppositeRays(stack, stack.matrices(matricesAt(tried)), common, threads, stop);
    };
    const auto step = static_cast<double>(stack.binning[0]);
    const CentreWitness witness = {[&](double centrePx) { return at(centrePx, 0); }, kRays,
                                   ", as a full circle or the ends of a short scan have them"};
    Finding finding = minContradictingCentre(witness, about.centrePx, rangePx, step);
    if (!finding.isFound) return finding;
    // An axis beside the line from source to detector resembles a shifted detector with a small
    // slant. If the fan is wide enough to distinguish the two, the slant does not affect the
    // centre.
    const Estimate wide = minContradiction([&](const Parameters& p) { return at(p[0], p[1]); },
                                           {finding.value, 0}, {step, 0.5});
    if (wide.uncertainties[1] < kMinCertainRollDeg) {
        finding.value = wide.values[0];
        finding.uncertainty = wide.uncertainties[0];
    }
    return finding;
}

}  // namespace

Finding centreFromRays(const ViewStack& stack, const MatricesAt& matricesAt,
                       const Misalignment& about, double rangePx, int threads,
                       const std::stop_token& stop) {
    Finding found =
        search(stack, matricesAt, about, rangePx, CommonToViews::removed, threads, stop);
    if (found.isFound || found.tried.empty()) return found;
    Finding ofRound = search(stack, matricesAt, about, rangePx, CommonToViews::kept, threads, stop);
    return ofRound.isFound ? ofRound : found;
}

}  // namespace gantry
