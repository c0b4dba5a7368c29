#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/scan/inspect/ray_assumption.h"
#include "core/scan/inspect/sinogram_checks.h"

namespace gantry {

namespace {

// How much rays differ, of what a column changes by over the scan, if true angles are so many times
// those that are stated.
struct ScaleTrial {
    double scale = 1;
    double mismatch = 0;
    double perStep = 0;
    double rms = 0;
};

ScaleTrial scaleTrialOf(double scale, const RayAgreement& agreement) {
    return {.scale = scale,
            .mismatch = agreement.mismatch / agreement.moving,
            .perStep = agreement.perStep / agreement.moving,
            .rms = std::sqrt(agreement.mismatch)};
}

// Scales from 0.3 to 2.6 in steps of 1 %.
std::vector<ScaleTrial> scaleTrials(const Sinogram& sinogram, RayAssumption assumed) {
    constexpr double kMin = 0.3;
    constexpr double kMax = 2.6;
    std::vector<ScaleTrial> all;
    for (double scale = kMin; scale < kMax; scale *= 1.01) {
        assumed.angleScale = scale;
        const RayAgreement agreement = sinogram.agreement(assumed);
        // Not where only the edges of the views are compared, which show little, nor where views
        // are that show air there.
        if (agreement.rays < sinogram.binnedColumns() / 2 ||
            agreement.moving < 0.3 * sinogram.moving() ||
            agreement.variance < 0.2 * agreement.moving)
            continue;
        all.push_back(scaleTrialOf(scale, agreement));
    }
    return all;
}

double scalesApart(const ScaleTrial& a, const ScaleTrial& b) {
    return std::abs(std::log(a.scale / b.scale));
}

bool isRound(double arcDeg) {
    return std::ranges::any_of(std::array<double, 3>{180, 360, 720},
                               [&](double round) { return std::abs(arcDeg / round - 1) < 0.03; });
}

// The best trial, if no other is nearly as good but at a third or a fifth of the scale: what is
// repeated after an angle is repeated after three times as much, too. Then the arc has to be a
// usual one, as an object that looks the same from several sides does this as well.
std::optional<ScaleTrial> clearlyBestScale(double arcDeg, const std::vector<ScaleTrial>& all) {
    if (all.empty()) return std::nullopt;
    const ScaleTrial best = *std::ranges::min_element(all, {}, &ScaleTrial::mismatch);
    const double nearlyAsGood = 3 * best.mismatch + 0.01;
    ScaleTrial largest = best;
    bool isRepeated = false;
    for (const ScaleTrial& other : all) {
        if (scalesApart(other, best) < 0.12 ||
            other.mismatch > std::max(nearlyAsGood, other.perStep))
            continue;
        const double ratio = std::exp(scalesApart(other, best));
        if (std::min(std::abs(ratio / 3 - 1), std::abs(ratio / 5 - 1)) > 0.05) return std::nullopt;
        isRepeated = true;
        if (other.scale > largest.scale &&
            (scalesApart(largest, best) < 0.12 || other.mismatch < largest.mismatch))
            largest = other;
    }
    if (isRepeated && !isRound(arcDeg * largest.scale)) return std::nullopt;
    return largest;
}

// A finer look about it, as steps of 1 % leave out what is between.
ScaleTrial refinedScale(const Sinogram& sinogram, RayAssumption assumed, const ScaleTrial& about) {
    ScaleTrial best = about;
    for (int i = -10; i <= 10; ++i) {
        assumed.angleScale = about.scale * (1 + 0.001 * i);
        const RayAgreement agreement = sinogram.agreement(assumed);
        if (agreement.rays < sinogram.binnedColumns() / 2 || !(agreement.moving > 0)) continue;
        const ScaleTrial trial = scaleTrialOf(assumed.angleScale, agreement);
        if (trial.mismatch < best.mismatch) best = trial;
    }
    return best;
}

Problem arcProblem(const ScanGeometry& geometry, const ScaleTrial& stated, const ScaleTrial& seen) {
    const double arcDeg = geometry.coverageDeg();
    const double turnDeg = 360 / seen.scale;
    const std::string match =
        turnDeg < 0.95 * arcDeg
            ? fmt::format("its views repeat after {:.0f}° instead of 360°", turnDeg)
        : geometry.isParallel()
            ? fmt::format("the mirror image of a view comes {:.0f}° behind it instead of 180°",
                          turnDeg / 2)
            : fmt::format(
                  "rays are measured again from the opposite side, like the mirror image, "
                  "{:.0f}° later instead of 180°",
                  turnDeg / 2);
    return {Problem::Severity::warning,
            geometry.angles().anglesDeg.empty() ? "trajectory.arcDeg" : "trajectory.anglesDeg",
            fmt::format("the scan states {:.4g}°, but {} (they differ by {:.2g} there, and by "
                        "{:.2g} as stated), as in an arc of {:.0f}°; check the arc and the angles",
                        arcDeg, match, seen.rms, stated.rms, arcDeg * seen.scale)};
}

}  // namespace

bool isInOrder(const std::vector<double>& angles) {
    return std::ranges::is_sorted(angles) || std::ranges::is_sorted(angles, std::greater<>());
}

std::optional<Problem> checkArc(const ScanGeometry& geometry, const Sinogram& whole) {
    constexpr double kSmallChange = 0.25;
    constexpr double kMinOffDeg = 5;
    if (!hasConjugateRays(geometry) || !isInOrder(geometry.angles().anglesDeg)) return std::nullopt;
    const Sinogram sinogram = forSearches(whole);
    RayAssumption assumed = asStated(geometry);
    assumed.withTurns = true;
    const RayAgreement agreement = sinogram.agreement(assumed);
    // A step's difference, and noise, may always be there.
    if (agreement.rays == 0 || agreement.moving < 4 * sinogram.noise() ||
        agreement.mismatch < std::max(3 * agreement.noise, 2 * agreement.perStep))
        return std::nullopt;
    const ScaleTrial stated = scaleTrialOf(1, agreement);
    if (stated.mismatch < 0.04) return std::nullopt;
    const std::optional<ScaleTrial> found =
        clearlyBestScale(geometry.coverageDeg(), scaleTrials(sinogram, assumed));
    if (!found) return std::nullopt;
    const ScaleTrial seen = refinedScale(sinogram, assumed, *found);
    if (seen.mismatch > 0.1 || seen.mismatch > 0.2 * stated.mismatch) return std::nullopt;
    const double offDeg = std::abs(seen.scale - 1) * geometry.coverageDeg();
    if (offDeg < std::max(kMinOffDeg, 3 * sinogram.stepDeg())) return std::nullopt;
    const bool isFar = std::abs(std::log(seen.scale)) > kSmallChange;
    if (isFar && stated.mismatch < 0.5) return std::nullopt;
    return arcProblem(geometry, stated, seen);
}

}  // namespace gantry
