#include "core/scan/inspect/scale_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/base/median.h"

namespace gantry {

namespace {

using Facts = std::vector<PictureFacts>;

constexpr double kOfMedianGrain = 1.4826;  // a normal distribution's deviation
// The part of the grains that is looked at: the smallest ones, as edges of the object make some of
// them large; and how large of a normal distribution these are, in deviations.
constexpr double kSmallGrains = 0.3;
constexpr double kOfSmallGrains = 0.38532;

// A line integral, and what its pixel differs from those around it in this view alone.
struct Grain {
    double level = 0;
    double apart = 0;
    double next = 0;      // apart, of the pixel to the right
    double nextView = 0;  // of the same pixel in the next of the views; 0: there is none
};

// What differs from its neighbours in every view alike is the detector's.
std::vector<double> fixedGrain(const Facts& facts) {
    std::vector<double> pattern(facts.front().grain.size());
    for (const PictureFacts& fact : facts)
        for (std::size_t i = 0; i < pattern.size(); ++i)
            pattern[i] += static_cast<double>(fact.grain[i]) / static_cast<double>(facts.size());
    return pattern;
}

std::vector<Grain> grainsOf(const Facts& facts) {
    const std::vector<double> pattern = fixedGrain(facts);
    // The first two views are neighbours, and only a part of the others.
    const auto apart = [&](std::size_t view, std::size_t i) {
        return static_cast<double>(facts[view].grain[i]) - pattern[i];
    };
    std::vector<Grain> grains;
    for (std::size_t view = 0; view < facts.size(); ++view)
        for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
            const Grain grain = {static_cast<double>(facts[view].grainLevels[i]), apart(view, i),
                                 apart(view, i + 1), view == 0 ? apart(1, i) : 0};
            if (std::isfinite(grain.level + grain.apart + grain.next)) grains.push_back(grain);
        }
    return grains;
}

// Grains of about the same line integral.
struct NoiseBin {
    double level = 0;
    double deviation = 0;
};

double deviationOf(const std::vector<const Grain*>& grains) {
    std::vector<double> sizes;
    sizes.reserve(grains.size());
    for (const Grain* const grain : grains)
        sizes.push_back(std::abs(grain->apart));
    const auto last = sizes.begin() +
                      static_cast<std::ptrdiff_t>(kSmallGrains * static_cast<double>(sizes.size()));
    std::nth_element(sizes.begin(), last, sizes.end());
    return *last / kOfSmallGrains;
}

// Whether neighbours differ as independent pixels do, and a view tells nothing of the next. What is
// fine in the object does not pass.
bool isNoise(const std::vector<const Grain*>& grains, double deviation) {
    // White noise has −2/3, as neighbours have two pixels of three in common; blurred by half a
    // pixel −0.45, by a whole one −0.1.
    constexpr double kMaxBeside = -0.25;
    constexpr double kMaxLater = 0.15;
    double squares = 0;
    double beside = 0;
    double first = 0;
    double later = 0;
    for (const Grain* const grain : grains) {
        const auto clipped = [&](double value) {
            return std::clamp(value, -2 * deviation, 2 * deviation);
        };
        const double here = clipped(grain->apart);
        squares += here * here;
        beside += here * clipped(grain->next);
        if (grain->nextView == 0) continue;
        first += here * here;
        later += here * clipped(grain->nextView);
    }
    return beside < kMaxBeside * squares &&
           std::abs(later) <= kMaxLater * std::max(first, squares / 50);
}

std::vector<NoiseBin> noiseBins(std::vector<Grain> grains) {
    constexpr std::size_t kBins = 16;
    constexpr std::size_t kMinGrains = 300;
    std::ranges::sort(grains, {}, &Grain::level);
    const double low = grains[grains.size() / 200].level;
    const double high = grains[grains.size() - 1 - grains.size() / 200].level;
    std::vector<std::vector<const Grain*>> bins(kBins);
    for (const Grain& grain : grains) {
        const double place = kBins * (grain.level - low) / (high - low);
        if (place >= 0 && place < kBins) bins[static_cast<std::size_t>(place)].push_back(&grain);
    }
    std::vector<NoiseBin> found;
    for (const std::vector<const Grain*>& bin : bins) {
        if (bin.size() < kMinGrains) continue;
        NoiseBin noise;
        noise.deviation = deviationOf(bin);
        for (const Grain* const grain : bin)
            noise.level += grain->level / static_cast<double>(bin.size());
        // Large float numbers are rounded more than small ones.
        if (noise.deviation > 1e-5 * (high - low) && isNoise(bin, noise.deviation))
            found.push_back(noise);
    }
    return found;
}

// The median of the slopes between any two bins, which a few that edges disturb do not change.
double slopeOf(const std::vector<NoiseBin>& bins, std::size_t begin, std::size_t end) {
    std::vector<double> slopes;
    for (std::size_t a = begin; a < end; ++a)
        for (std::size_t b = a + 1; b < end; ++b)
            slopes.push_back(2 * std::log(bins[b].deviation / bins[a].deviation) /
                             (bins[b].level - bins[a].level));
    return medianOf(std::move(slopes));
}

Problem scaleProblem(std::string sentence) {
    return {Problem::Severity::warning, "projections.kind", std::move(sentence)};
}

std::string scaleText(const NoiseGrowth& growth) {
    const double scale = 1 / growth.perUnit;
    if (std::abs(scale * std::log(10.0) - 1) < 0.18)
        return "as those of logarithms to base 10 do: multiply them by 2.303";
    return fmt::format(
        "as if they were multiplied by about {:.2g}, and with them all levels: "
        "divide them by the number that they were multiplied by",
        scale);
}

// What the growth of the noise says against the scale.
std::optional<Problem> contradictedByNoise(const NoiseGrowth& growth) {
    // One flat frame alone, or electrons of the amplifier, change the growth of right line
    // integrals to between 0.65 and 2, and then not alike over low ones and high ones.
    constexpr double kMin = 0.65;
    constexpr double kMax = 1.9;
    constexpr double kAlike = 1.6;
    const auto [perUnit, deviation, lower, upper] = growth;
    const bool isScaled = perUnit + 2 * deviation < kMin || perUnit - 2 * deviation > kMax;
    const bool isStraight = lower > perUnit / kAlike && upper > perUnit / kAlike &&
                            lower < perUnit * kAlike && upper < perUnit * kAlike;
    if (!isScaled || !isStraight) return std::nullopt;
    return scaleProblem(
        fmt::format("the variance of the noise grows {:.3g}-fold with each unit of the line "
                    "integrals, where photons make it grow 2.72-fold, {}",
                    std::exp(perUnit), scaleText(growth)));
}

}  // namespace

std::optional<NoiseGrowth> noiseGrowth(const Facts& facts) {
    constexpr std::size_t kMinBins = 6;
    if (facts.size() < 3 || facts.front().grain.size() < 1000) return std::nullopt;
    std::vector<Grain> grains = grainsOf(facts);
    if (grains.size() < 5000) return std::nullopt;
    const std::vector<NoiseBin> bins = noiseBins(std::move(grains));
    const std::size_t count = bins.size();
    if (count < kMinBins) return std::nullopt;
    NoiseGrowth growth;
    growth.perUnit = slopeOf(bins, 0, count);
    growth.lower = slopeOf(bins, 0, (count + 1) / 2);
    growth.upper = slopeOf(bins, count / 2, count);
    std::vector<double> residuals;
    residuals.reserve(count);
    for (const NoiseBin& bin : bins)
        residuals.push_back(2 * std::log(bin.deviation) - growth.perUnit * bin.level);
    const double usual = medianOf(residuals);
    for (double& residual : residuals)
        residual = std::abs(residual - usual);
    const double range = bins.back().level - bins.front().level;
    growth.deviation = kOfMedianGrain * medianOf(std::move(residuals)) *
                       std::sqrt(12 / static_cast<double>(count)) / range;
    // What grows by less may be anything.
    constexpr double kMinGrowth = 0.6;
    if (growth.perUnit * range < kMinGrowth) return std::nullopt;
    return growth;
}

std::optional<Problem> checkScale(const Facts& facts) {
    if (const std::optional<NoiseGrowth> growth = noiseGrowth(facts))
        if (auto problem = contradictedByNoise(*growth)) return problem;
    constexpr double kLargest = 12;  // ln 65535 is 11.1
    const double darkest = contrastOf(facts);
    if (darkest <= kLargest) return std::nullopt;
    return scaleProblem(fmt::format(
        "1 % of the line integrals are {:.3g} or more: of a million photons less than {:.1g} "
        "would pass, which no detector of 16 bits tells from none; they may be multiplied by a "
        "number, which nothing but their noise would show",
        darkest, 1e6 * std::exp(-darkest)));
}

}  // namespace gantry
