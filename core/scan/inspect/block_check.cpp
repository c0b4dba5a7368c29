#include "core/scan/inspect/pixel_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "core/base/median.h"

namespace gantry {

namespace {

using SomeFacts = std::span<const PictureFacts>;
using Bands = std::array<std::vector<double>, 4>;

// How much each sample of the mean profile is bent, from the third on.
std::vector<double> bendsOf(SomeFacts facts, Bands PictureFacts::*bands, std::size_t band) {
    std::vector<double> mean((facts.front().*bands)[band].size());
    for (const PictureFacts& fact : facts)
        for (std::size_t i = 0; i < mean.size(); ++i)
            mean[i] += (fact.*bands)[band][i] / static_cast<double>(facts.size());
    std::vector<double> bends;
    for (std::size_t i = 2; i + 1 < mean.size(); ++i)
        bends.push_back((mean[i] - mean[i - 1]) -
                        (mean[i - 1] - mean[i - 2] + mean[i + 1] - mean[i]) / 2);
    return bends;
}

// Whether a step is at the place: it bends the profile half as much the other way on either side.
// A column that is off alone, and the edge of a round object, do not.
bool isStep(const std::vector<double>& bends, std::size_t i, double limit) {
    const double size = std::abs(bends[i]);
    const auto isHalf = [&](double bend) { return std::abs(bend + bends[i] / 2) < 0.2 * size; };
    return size > limit && isHalf(bends[i - 1]) && isHalf(bends[i + 1]);
}

// From what size on bends stand out.
double limitOf(const std::vector<double>& bends, double contrast) {
    std::vector<double> sizes = {0};
    for (const double bend : bends)
        sizes.push_back(std::abs(bend));
    return std::max({8 * medianOf(std::move(sizes)), 0.003, 0.003 * contrast});
}

// The bends of all bands, and from what size on they stand out.
struct BandBends {
    std::array<std::vector<double>, 4> bends;
    std::array<double, 4> limits{};
};

BandBends bandBends(SomeFacts facts, Bands PictureFacts::*bands, double contrast) {
    BandBends all;
    for (std::size_t band = 0; band < 4; ++band) {
        all.bends[band] = bendsOf(facts, bands, band);
        all.limits[band] = limitOf(all.bends[band], contrast);
    }
    return all;
}

std::vector<double> meanBends(const std::array<std::vector<double>, 4>& bends) {
    std::vector<double> whole(bends[0].size());
    for (const std::vector<double>& band : bends)
        for (std::size_t i = 0; i < whole.size(); ++i)
            whole[i] += band[i] / 4;
    return whole;
}

// Steps between two columns or rows that stand out of all others, alike in all four bands, which an
// object does not fill alike, and in every third of the views, as what turns is not.
std::vector<std::size_t> stepsIn(SomeFacts facts, Bands PictureFacts::*bands, double contrast) {
    const BandBends ofBands = bandBends(facts, bands, contrast);
    std::vector<std::size_t> steps;
    if (ofBands.bends[0].size() < 16 || facts.size() < 3) return steps;
    const std::vector<double> whole = meanBends(ofBands.bends);
    std::vector<std::vector<double>> parts(ofBands.bends.begin(), ofBands.bends.end());
    const std::size_t third = facts.size() / 3;
    for (const SomeFacts views :
         {facts.first(third), facts.subspan(third, third), facts.last(third)})
        parts.push_back(meanBends(bandBends(views, bands, contrast).bends));
    const double limit = limitOf(whole, contrast);
    for (std::size_t i = 1; i + 1 < whole.size(); ++i) {
        bool isEverywhere = isStep(whole, i, limit);
        for (std::size_t band = 0; band < 4; ++band)
            isEverywhere = isEverywhere && std::abs(ofBands.bends[band][i]) > ofBands.limits[band];
        for (const std::vector<double>& part : parts)
            isEverywhere = isEverywhere && part[i] / whole[i] > 0.5 && part[i] / whole[i] < 2;
        if (isEverywhere) steps.push_back(i + 2);
    }
    return steps;
}

// What a step is seen in: lower and upper half, or left and right one.
struct HalfStep {
    std::size_t place = 0;
    bool isInFirst = false;
    bool isInSecond = false;
};

// Steps that stand out in both bands of one half of the detector at least, as where one module of
// two by two is off. An object has them along one direction alone.
std::vector<HalfStep> halfStepsIn(SomeFacts facts, Bands PictureFacts::*bands, double contrast) {
    const BandBends all = bandBends(facts, bands, contrast);
    std::vector<HalfStep> steps;
    if (all.bends[0].size() < 16) return steps;
    for (std::size_t i = 1; i + 1 < all.bends[0].size(); ++i) {
        const auto isIn = [&](std::size_t a, std::size_t b) {
            const double ratio = all.bends[a][i] / all.bends[b][i];
            return isStep(all.bends[a], i, all.limits[a]) &&
                   isStep(all.bends[b], i, all.limits[b]) && ratio > 0.5 && ratio < 2;
        };
        const HalfStep step = {i + 2, isIn(0, 1), isIn(2, 3)};
        if (step.isInFirst || step.isInSecond) steps.push_back(step);
    }
    return steps;
}

std::string quadrantText(SomeFacts facts, double contrast) {
    const std::vector<HalfStep> columns = halfStepsIn(facts, &PictureFacts::bandsU, contrast);
    const std::vector<HalfStep> rows = halfStepsIn(facts, &PictureFacts::bandsV, contrast);
    if (columns.size() != 1 || rows.size() != 1) return {};
    return fmt::format("column {} and row {}, where four modules meet", columns[0].place,
                       rows[0].place);
}

// Views from one end of the scan to its middle, or all.
struct Stretch {
    SomeFacts facts;
    const char* when;
    const char* remedy;
};

Problem blockProblem(const std::string& places, const Stretch& stretch) {
    return {Problem::Severity::warning, "projections.flat",
            fmt::format("the detector has blocks that step against each other at {}{}; they make "
                        "rings and bands. {}",
                        places, stretch.when, stretch.remedy)};
}

// What steps between columns and rows, of which those near dead ones tell nothing.
std::vector<Problem> blocksIn(const Stretch& stretch, double contrast, IndexRange withoutColumns,
                              IndexRange withoutRows) {
    constexpr std::size_t kMaxBlocks = 32;
    constexpr Index kNear = 2;
    std::vector<Problem> problems;
    const auto list = [&](std::vector<std::size_t> steps, IndexRange without, const char* what) {
        std::erase_if(steps, [&](std::size_t step) {
            const IndexRange near = {without.begin - kNear, without.end + kNear + 1};
            return !without.empty() && near.contains(static_cast<Index>(step));
        });
        if (steps.empty() || steps.size() > kMaxBlocks) return;
        std::string places;
        for (std::size_t i = 0; i < std::min<std::size_t>(4, steps.size()); ++i)
            places += fmt::format("{}{}", i > 0 ? ", " : "", steps[i]);
        problems.push_back(blockProblem(
            fmt::format("{} {}{}", what, places, steps.size() > 4 ? ", …" : ""), stretch));
    };
    list(stepsIn(stretch.facts, &PictureFacts::bandsU, contrast), withoutColumns, "column");
    list(stepsIn(stretch.facts, &PictureFacts::bandsV, contrast), withoutRows, "row");
    if (problems.empty() && withoutColumns.empty())
        if (const std::string corner = quadrantText(stretch.facts, contrast); !corner.empty())
            problems.push_back(blockProblem(corner, stretch));
    return problems;
}

}  // namespace

std::vector<Problem> checkBlocks(const std::vector<PictureFacts>& facts, double contrast,
                                 IndexRange withoutColumns, IndexRange withoutRows) {
    constexpr std::size_t kMinHalf = 12;
    constexpr const char* kLevel =
        "Use flat frames of the same exposure and detector mode, or level the blocks: --modules "
        "fit, or in the desktop set Modules to Fitted";
    constexpr const char* kAgain =
        "A module's gain changed during the scan: scan again, or leave out the views of one half "
        "with skipViews if the others are enough";
    const SomeFacts all = facts;
    const std::size_t half = facts.size() / 2;
    std::vector<Problem> problems =
        blocksIn({all, "", kLevel}, contrast, withoutColumns, withoutRows);
    if (!problems.empty() || half < kMinHalf) return problems;
    for (const Stretch& stretch :
         {Stretch{all.subspan(half), " in the second half of the views alone", kAgain},
          Stretch{all.first(half), " in the first half of the views alone", kAgain}}) {
        problems = blocksIn(stretch, contrast, withoutColumns, withoutRows);
        if (!problems.empty()) break;
    }
    return problems;
}

}  // namespace gantry
