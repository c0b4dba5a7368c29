#include "core/doctor/judged_trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gantry {

namespace {

// Scores are logarithms. Smaller differences count as equal, whatever their spread: with few views
// and coarse slices they are due to chance.
constexpr double kMinApart = 0.15;
constexpr double kSurelyApart = 0.5;
// The difference must also be this many standard deviations.
constexpr double kMinSpreads = 2;
constexpr double kSureSpreads = 5;
// Above this, the views disagree as much as views of different objects.
constexpr double kBadFit = 0.5;
// Small values are noise, so this is added before logarithms are taken.
constexpr double kNoDisagreement = 1e-4;
constexpr double kNoNegative = 0.02;
// The views' disagreement as a logarithm; 0 if nothing of them was compared.
double disagreementOf(const TrialScores& scores) {
    double sum = 0;
    int count = 0;
    for (const double one : {scores.rays, scores.planes}) {
        if (std::isnan(one)) continue;
        sum += std::log(one + kNoDisagreement);
        ++count;
    }
    return count > 0 ? sum / count : 0;
}

double scoreOf(const TrialScores& scores) {
    constexpr double kTiny = 1e-30;
    return std::log(scores.sharpness + kTiny) - disagreementOf(scores) -
           std::log(scores.negative + kNoNegative) / 2;
}

}  // namespace

void JudgedTrial::take(Trial made) {
    trial = std::move(made);
    score = scoreOf(trial.all);
}

void JudgedTrial::compareWith(const JudgedTrial& best) {
    behind = best.score - score;
    std::array<double, kViewParts> without = {};
    double mean = 0;
    for (std::size_t part = 0; part < kViewParts; ++part) {
        without[part] = scoreOf(best.trial.without[part]) - scoreOf(trial.without[part]);
        mean += without[part] / kViewParts;
    }
    double sum = 0;
    for (const double one : without)
        sum += (one - mean) * (one - mean);
    spread = std::sqrt(sum * (kViewParts - 1) / kViewParts);
}

bool JudgedTrial::isBehind() const {
    return behind > std::max(kMinApart, kMinSpreads * spread);
}

bool JudgedTrial::isSurelyBehind() const {
    return behind > std::max(kSurelyApart, kSureSpreads * spread);
}

bool JudgedTrial::fitsBadly() const {
    if (trial.isOneSided) return true;
    if (!trial.isAnySeenTwice) return false;
    const auto isBad = [](double one) { return std::isnan(one) || one > kBadFit; };
    return isBad(trial.all.rays) && isBad(trial.all.planes);
}

bool JudgedTrial::raysAgreeAsIn(const JudgedTrial& other) const {
    constexpr double kInterpolated = 1e-3;  // what lies between columns and views adds so much
    const double apart =
        std::log(trial.all.rays + kInterpolated) - std::log(other.trial.all.rays + kInterpolated);
    return std::abs(apart) < kMinApart;  // false where either has none
}

}  // namespace gantry
