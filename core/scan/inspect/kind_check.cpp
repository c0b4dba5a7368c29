#include "core/scan/inspect/pixel_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/median.h"
#include "core/base/percent.h"

namespace gantry {

namespace {

using Facts = std::vector<PictureFacts>;

double medianOfAll(const Facts& facts, double PictureFacts::*member) {
    std::vector<double> values;
    values.reserve(facts.size());
    for (const PictureFacts& fact : facts)
        values.push_back(fact.*member);
    return medianOf(std::move(values));
}

// The same level beside the object from all sides, which nothing exceeds by much: an object would
// be darker. level, lightest: medians
struct BrightObject {
    double level = 0;
    double lightest = 0;
};

// The level at both sides of a view that is even there, if the object is below it.
std::optional<double> levelAbove(const PictureFacts& fact) {
    constexpr double kEven = 0.05;
    constexpr double kAlike = 0.1;
    constexpr double kNearlyAll = 0.85;
    const double range = fact.darkest - fact.lightest;
    const auto isEven = [&](const EdgeStrip& strip) {
        return std::max(strip.spread, std::abs(strip.slope)) < kEven * range;
    };
    const double level = (fact.left.level + fact.right.level) / 2;
    const bool isAbove = level - fact.lightest > kNearlyAll * range;
    const bool isAlike = std::abs(fact.left.level - fact.right.level) < kAlike * range;
    if (!(range > 0) || !isAbove || !isAlike || !isEven(fact.left) || !isEven(fact.right))
        return std::nullopt;
    return level;
}

std::optional<BrightObject> brightObject(const Facts& facts) {
    constexpr double kMinRange = 0.02;
    std::vector<double> levels;
    for (const PictureFacts& fact : facts)
        if (const auto level = levelAbove(fact)) levels.push_back(*level);
    if (5 * levels.size() < 4 * facts.size()) return std::nullopt;
    const auto [low, high] = std::ranges::minmax(levels);
    const BrightObject object = {medianOf(levels), medianOfAll(facts, &PictureFacts::lightest)};
    const double range = object.level - object.lightest;
    if (range < kMinRange || high - low > 0.3 * range) return std::nullopt;
    return object;
}

// What the values seem to be, and what to state; empty where they may be line integrals.
std::string guessOf(const BrightObject& object) {
    const auto [level, lightest] = object;
    if (level > kOpaque)
        return fmt::format(
            "they are counts: state \"kind\": \"counts\" with flat frames, or with "
            "\"flatValue\": {:.5g}",
            level);
    if (std::abs(level) < 0.15 * (level - lightest) && lightest < 0)
        return "their sign is wrong: multiply them by −1";
    if (level > 0.7 && level < 1.3 && lightest > -0.05 && lightest < 0.6 * level)
        return fmt::format(
            "they are shares of the open beam: state \"kind\": \"counts\" with "
            "\"flatValue\": {:.3g}",
            level);
    if (level > 1.5 && level < kOpaque && lightest > 0.35 * level)
        return fmt::format(
            "they are logarithms of counts: subtract each from the air's, {0:.4g}, and multiply by "
            "2.303 if they are of base 10, of {1:.3g} counts then",
            level, std::pow(10.0, level));
    return {};
}

Problem kindProblem(std::string sentence) {
    return {Problem::Severity::warning, "projections.kind", std::move(sentence)};
}

std::optional<Problem> ofAttenuation(const Facts& facts) {
    constexpr double kMuch = 0.02;
    if (const auto object = brightObject(facts)) {
        if (const std::string guess = guessOf(*object); !guess.empty())
            return kindProblem(
                fmt::format("the values are stated to be line integrals, but the "
                            "object has less ({:.3g}) than the air beside it "
                            "({:.3g}); {}",
                            object->lightest, object->level, guess));
    }
    const double share = medianOfAll(facts, &PictureFacts::opaqueShare);
    if (share < kMuch) return std::nullopt;
    return kindProblem(fmt::format(
        "the values are stated to be line integrals, but {} of the pixels are above {:.0f}, up to "
        "{:.4g}, through which nothing would pass; they are scaled, or counts: divide them by "
        "their scale, or state \"kind\": \"counts\" with flat frames or a flatValue",
        formatPercent(share), kOpaque, medianOfAll(facts, &PictureFacts::darkest)));
}

std::optional<Problem> ofCounts(const Facts& facts) {
    constexpr double kDark = 2;  // air that lets through less than a seventh
    const auto object = brightObject(facts);
    if (!object || object->level < kDark || object->lightest > object->level / 2)
        return std::nullopt;
    return kindProblem(fmt::format(
        "the values are stated to be counts, but the air beside the object is darker ({} of the "
        "flat field) than the object ({}); they are line integrals (\"kind\": \"attenuation\"), "
        "or inverted, or dark and flat frames are exchanged",
        formatPercent(std::exp(-object->level)), formatPercent(std::exp(-object->lightest))));
}

}  // namespace

std::optional<Problem> checkKind(ProjectionKind kind, const Facts& facts) {
    return kind == ProjectionKind::attenuation ? ofAttenuation(facts) : ofCounts(facts);
}

}  // namespace gantry
