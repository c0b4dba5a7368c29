#include "core/align/centre_from_rays.h"

#include <algorithm>
#include <cmath>

#include "core/align/centre_search.h"
#include "core/align/estimate.h"
#include "core/align/opposite_rays.h"

namespace gantry {

namespace {

constexpr const char* kRays = "rays measured from both ends";
// A slant is expected to be within so many degrees of the stated one: as much as an axis 1/57 of
// its distance from the source beside the beam's middle seems to slant the detector.
constexpr double kExpectedSlantDeg = 1;
// What interpolation between pixels of the stack leaves at best: measured on simulated scans
// without noise.
constexpr double kRayResolutionPx = 0.004;

// An axis beside the line from source to detector resembles a shifted detector with a small slant.
// Where the fan is wide enough to tell the two apart, the slant moves the centre as far as it is
// found; where it is not, it stays what was expected, and the centre is so much less certain.
void allowForSlant(Finding& finding, const Estimate& wide) {
    const double variance = std::pow(wide.uncertainties[1], 2);
    if (!wide.isSettled || !std::isfinite(variance)) return;
    const double expected = std::pow(kExpectedSlantDeg, 2);
    const double share = expected / (expected + variance);
    const double before = std::pow(finding.uncertainty, 2);
    finding.value += share * (wide.values[0] - finding.value);
    finding.uncertainty =
        std::sqrt(before + share * std::max(0.0, std::pow(wide.uncertainties[0], 2) - before));
}

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
    allowForSlant(finding, minContradiction([&](const Parameters& p) { return at(p[0], p[1]); },
                                            {finding.value, 0}, {step, 0.5}));
    finding.uncertainty = std::hypot(finding.uncertainty, kRayResolutionPx * step);
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
