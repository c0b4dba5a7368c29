#include "core/scan/inspect/jitter_check.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "core/base/median.h"
#include "core/scan/inspect/ray_assumption.h"

namespace gantry {

namespace {

constexpr double kOfMedianShift = 1.4826;  // a normal distribution's deviation

// The shift of a profile against the mean of its neighbours, and its standard error.
struct ProfileShift {
    double samples = 0;
    double error = 0;
};

double slopeAt(const std::vector<double>& profile, std::size_t i) {
    return (profile[i + 1] - profile[i - 1]) / 2;
}

// A least-squares fit of the difference by a level, a slope, a bend, a gain and a shift; none where
// nothing is seen.
std::optional<ProfileShift> shiftFrom(const std::vector<double>& mean,
                                      const std::vector<double>& profile) {
    constexpr int kTerms = 5;
    using Terms = Eigen::Matrix<double, kTerms, 1>;
    Eigen::Matrix<double, kTerms, kTerms> square = Eigen::Matrix<double, kTerms, kTerms>::Zero();
    Terms right = Terms::Zero();
    double squares = 0;
    const std::size_t count = mean.size();
    for (std::size_t i = 1; i + 1 < count; ++i) {
        const double x = 2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1;
        const Terms row(1, x, x * x, mean[i], -slopeAt(mean, i));
        const double apart = profile[i] - mean[i];
        square += row * row.transpose();
        right += apart * row;
        squares += apart * apart;
    }
    const Eigen::FullPivLU<Eigen::Matrix<double, kTerms, kTerms>> solver(square);
    if (solver.rank() < kTerms) return std::nullopt;
    const Terms fit = solver.solve(right);
    const double left = std::max(0.0, squares - fit.dot(right));
    const double variance = left / static_cast<double>(count - 2 - kTerms);
    const Terms last = solver.solve(Terms::Unit(kTerms - 1));
    const ProfileShift shift = {fit[kTerms - 1], std::sqrt(variance * last[kTerms - 1])};
    return std::isfinite(shift.samples + shift.error) ? std::optional(shift) : std::nullopt;
}

std::string alongText(double rows, double columns) {
    if (columns == 0) return fmt::format("{:.1f} px along the rows", rows);
    if (rows == 0) return fmt::format("{:.1f} px along the columns", columns);
    return fmt::format("{:.1f} px along the rows and {:.1f} px along the columns", rows, columns);
}

// What moves along the columns shows in the views that are looked at. The second of them is as near
// to the first as no others are.
std::vector<std::vector<double>> columnProfiles(const std::vector<PictureFacts>& facts) {
    std::vector<std::vector<double>> profiles;
    for (const PictureFacts& fact : facts)
        if (fact.view != 1) profiles.push_back(fact.alongV);
    return profiles;
}

}  // namespace

ProfileJitter jitterOf(const std::vector<std::vector<double>>& profiles) {
    constexpr std::size_t kMinProfiles = 24;
    constexpr std::size_t kMinSamples = 16;
    constexpr double kMinPart = 0.25;  // of a sample
    constexpr double kClear = 3;
    if (profiles.size() < kMinProfiles || profiles.front().size() < kMinSamples) return {};
    std::vector<double> shifts;
    std::vector<double> errors;
    for (std::size_t s = 1; s + 1 < profiles.size(); ++s) {
        std::vector<double> mean = profiles[s - 1];
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] = (mean[i] + profiles[s + 1][i]) / 2;
        const std::optional<ProfileShift> shift = shiftFrom(mean, profiles[s]);
        if (!shift) return {};
        shifts.push_back(shift->samples);
        errors.push_back(shift->error);
    }
    // What turns with the object goes on from view to view, and nearly vanishes here.
    std::vector<double> apart;
    for (std::size_t s = 1; s + 1 < shifts.size(); ++s)
        apart.push_back(std::abs(shifts[s] - (shifts[s - 1] + shifts[s + 1]) / 2));
    // The differences of random shifts from the mean of their neighbours, once and twice.
    const double once = std::sqrt(1.5);
    const double twice = std::sqrt(70.0) / 4;
    const double found = kOfMedianShift * medianOf(std::move(apart)) / twice;
    const double noise = medianOf(std::move(errors)) / once;
    ProfileJitter jitter;
    jitter.samples = std::sqrt(std::max(0.0, found * found - noise * noise));
    jitter.isClear = found > kClear * noise && jitter.samples >= kMinPart;
    return jitter;
}

std::optional<Problem> checkJitter(const ScanGeometry& geometry,
                                   const std::vector<PictureFacts>& facts,
                                   const Sinogram& sinogram) {
    constexpr double kMaxStepDeg = 12;
    if (!geometry.hasAngles() || !isInOrder(geometry.angles().anglesDeg) || facts.size() < 2)
        return std::nullopt;
    const auto steps = static_cast<double>(facts.size() - 1);
    if (std::abs(facts.back().angleDeg - facts.front().angleDeg) > kMaxStepDeg * steps)
        return std::nullopt;
    double rows = 0;
    double columns = 0;
    if (10 * sinogram.views() >= 9 * geometry.views()) {
        std::vector<std::vector<double>> profiles;
        for (Index view = 0; view < sinogram.views(); ++view) {
            const std::span<const float> values = sinogram.values(view);
            profiles.emplace_back(values.begin(), values.end());
        }
        const ProfileJitter jitter = jitterOf(profiles);
        if (jitter.isClear) rows = jitter.samples * static_cast<double>(sinogram.binning());
    }
    if (const ProfileJitter jitter = jitterOf(columnProfiles(facts)); jitter.isClear)
        columns = jitter.samples;
    if (rows == 0 && columns == 0) return std::nullopt;
    return Problem{Problem::Severity::warning, "projections.files",
                   fmt::format("the views are shifted at random against each other, by {} "
                               "(standard deviation), and the volume is blurred by as much. If the "
                               "scanner shifts them on purpose, open its own description and have "
                               "its list of shifts used, or give each view its pose in "
                               "trajectory.poses; otherwise fix what shakes, and scan again",
                               alongText(rows, columns))};
}

}  // namespace gantry
