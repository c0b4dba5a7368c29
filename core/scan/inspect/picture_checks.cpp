#include "core/scan/inspect/picture_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "core/base/median.h"
#include "core/base/percent.h"
#include "core/geometry/volume_grid.h"
#include "core/scan/inspect/kind_check.h"
#include "core/scan/inspect/mid_plane.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/inspect/saturation_check.h"
#include "core/scan/inspect/sinogram_checks.h"

namespace gantry {

namespace {

using Facts = std::vector<PictureFacts>;

bool isAir(const EdgeStrip& strip, double contrast) {
    return std::max(strip.spread, std::abs(strip.slope)) < std::max(0.004, 0.004 * contrast) &&
           strip.level < 0.9 * contrast;
}

// The air's line integral beside the object, where a view shows any on both sides or on one.
std::optional<double> airOf(const PictureFacts& fact, double contrast) {
    const bool left = isAir(fact.left, contrast);
    const bool right = isAir(fact.right, contrast);
    if (left && right) return (fact.left.level + fact.right.level) / 2;
    if (left || right) return left ? fact.left.level : fact.right.level;
    return std::nullopt;
}

void warn(std::vector<Problem>& problems, const char* field, std::string sentence) {
    problems.push_back({Problem::Severity::warning, field, std::move(sentence)});
}

// How rows were continued beyond the edges, and what that means.
std::string extended(const OpenScan& scan) {
    const RowExtension& extension = scan.redundancy.extension;
    if (!extension.any())
        return "what is cut off makes a bright rim and wrong levels, unless each row is continued "
               "beyond, as is done by default; an offset detector or a smaller object shows all of "
               "it";
    const Index columns = std::max(extension.before, extension.after);
    const std::string how =
        extension.perColumn == 0
            ? fmt::format("falling smoothly to 0 over {} columns", columns)
            : fmt::format("by up to {} columns, like the shadow of a cylinder of {:.3g} /mm",
                          columns, extension.perColumn / scan.geometry.detector.pitchAtAxisMm);
    const bool isShown = extension.shownBefore + extension.shownAfter > 0;
    return fmt::format(
        "each row is continued beyond, {}. Levels inside are right to a few percent "
        "if the object is mostly of one material{}",
        how,
        isShown ? fmt::format("; what lies more than {:.4g} mm from the rotation axis is an "
                              "estimate of where the object goes on",
                              fieldOfView(scan.description.geometry).radiusMm)
                : "");
}

void checkEdges(const OpenScan& scan, const Facts& facts, double contrast,
                std::vector<Problem>& problems) {
    const auto count = [&](const auto& isThere) { return std::ranges::count_if(facts, isThere); };
    if (const CutViews cut = cutViews(scan.redundancy, facts); cut.either > 0) {
        const char* where = cut.both > 0     ? "the left and right edges"
                            : cut.left == 0  ? "the right edge"
                            : cut.right == 0 ? "the left edge"
                                             : "the left or the right edge";
        warn(problems, "projections.files",
             fmt::format("the object reaches {} of the detector in {} of the {} views that were "
                         "looked at; {}",
                         where, cut.either, facts.size(), extended(scan)));
    }
    const auto above = count([&](const auto& fact) { return isObject(fact.top, contrast); });
    const auto below = count([&](const auto& fact) { return isObject(fact.bottom, contrast); });
    if (above > 0 || below > 0)
        warn(problems, "projections.files",
             fmt::format("the object goes on {} the detector in {} of the {} views that were "
                         "looked at; slices near that end are incomplete where the cone leaves it",
                         above == 0   ? "below"
                         : below == 0 ? "above"
                                      : "above and below",
                         std::max(above, below), facts.size()));
}

// By how much the air at one edge differs between views.
double changeOf(const Facts& facts, const EdgeStrip PictureFacts::*edge, double contrast) {
    std::vector<double> levels;
    for (const PictureFacts& fact : facts)
        if (isAir(fact.*edge, contrast)) levels.push_back((fact.*edge).level);
    if (levels.size() < 2) return 0;
    const auto [min, max] = std::minmax_element(levels.begin(), levels.end());
    return *max - *min;
}

void checkAir(const Facts& facts, double contrast, bool hasMonitor,
              std::vector<Problem>& problems) {
    std::vector<double> air;
    for (const PictureFacts& fact : facts)
        if (const auto level = airOf(fact, contrast)) air.push_back(*level);
    if (2 * air.size() < facts.size()) return;
    // Levels are off by about half the part that the air's line integral has in the darkest one.
    const double same = std::max(0.005, 0.008 * contrast);
    if (const double usual = medianOf(air); std::abs(usual) > same)
        warn(problems, "projections.flat",
             fmt::format(
                 "the air beside the object is {:.{}f} of the flat field: the beam was {} "
                 "in the views than in the flat frames, and every level is off. Normalise "
                 "the views by it: --flux air, or in the desktop set Beam flux to Air beside "
                 "the object",
                 std::exp(-usual), std::abs(usual) > 0.05 ? 2 : 3,
                 usual > 0 ? "weaker" : "stronger"));
    // A beam that is stronger on one side is no drift, whichever side shows air.
    const double change = std::max(changeOf(facts, &PictureFacts::left, contrast),
                                   changeOf(facts, &PictureFacts::right, contrast));
    if (change > same)
        warn(problems, "projections.flat",
             fmt::format("the beam drifts by {} over the scan, by the air beside the object{}",
                         formatPercent(1 - std::exp(-change)),
                         hasMonitor
                             ? ", although each view is divided by the beam monitor in its file: "
                               "the two contradict each other. Leave the monitor unused: "
                               "\"ignoreMonitor\": true in projections of the scan.json"
                             : "; levels drift with it. Normalise each view by it: --flux air, or "
                               "in the desktop set Beam flux to Air beside the object"));
}

// The shift, in samples, that makes b most like a, whatever their levels: the least variance of the
// difference, with a parabola through the best three.
double shiftOf(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<int>(a.size());
    const int max = std::max(2, n / 8);
    const auto mismatch = [&](int shift) {
        double sum = 0;
        double squares = 0;
        for (int i = max; i < n - max; ++i) {
            const int shifted = i + shift;
            const double d = a[i] - b[shifted];
            sum += d;
            squares += d * d;
        }
        return squares - sum * sum / (n - 2 * max);
    };
    int best = 0;
    for (int shift = -max; shift <= max; ++shift)
        if (mismatch(shift) < mismatch(best)) best = shift;
    if (std::abs(best) == max) return best;
    const double before = mismatch(best - 1);
    const double here = mismatch(best);
    const double after = mismatch(best + 1);
    const double curve = before - 2 * here + after;
    return curve > 0 ? best + (before - after) / (2 * curve) : best;
}

// The first and the last view of a turn are a step apart, as the first and the second are. An
// object that is cut off seems to move; calibrated poses have its movement in them.
void checkMotion(const ScanGeometry& geometry, const Facts& facts, double contrast,
                 std::vector<Problem>& problems) {
    constexpr double kMovedPx = 1;
    if (geometry.poses() || !geometry.isFullCircle() || geometry.coverageDeg() > 365 ||
        facts.size() < 3)
        return;
    const auto stepDeg = [](const PictureFacts& a, const PictureFacts& b) {
        return std::abs(std::remainder(b.angleDeg - a.angleDeg, 360));
    };
    const double step = stepDeg(facts[0], facts[1]);
    if (std::abs(stepDeg(facts.back(), facts.front()) - step) > 0.5 * step) return;
    for (const PictureFacts* fact : {&facts[0], &facts[1], &facts.back()})
        if (isObject(fact->left, contrast) || isObject(fact->right, contrast)) return;
    const auto moved = [&](const std::vector<double> PictureFacts::*profile) {
        const double usual = shiftOf(facts[0].*profile, facts[1].*profile);
        const double found = shiftOf(facts.back().*profile, facts.front().*profile) - usual;
        return std::round(10 * found) / 10 + 0.0;  // no "-0.0"
    };
    const double alongU = moved(&PictureFacts::alongU);
    const double alongV = moved(&PictureFacts::alongV);
    if (std::hypot(alongU, alongV) <= kMovedPx) return;
    warn(problems, "projections.files",
         fmt::format("the object moved by {:.1f} px along the rows and {:.1f} px along the columns "
                     "between the first view and the last, which show the same side; edges come "
                     "out double. Scan again, or leave the views after the movement out",
                     alongU, alongV));
}

using Bands = std::array<std::vector<double>, 4>;

// How much each sample of the mean profile is bent, from the third on.
std::vector<double> bendsOf(const Facts& facts, Bands PictureFacts::*bands, std::size_t band) {
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

// Steps between two columns or rows that stand out of all others, alike in all four bands, which an
// object does not fill alike.
std::vector<std::size_t> stepsIn(const Facts& facts, Bands PictureFacts::*bands, double contrast) {
    std::array<std::vector<double>, 4> bends;
    std::array<double, 4> limits{};
    for (std::size_t band = 0; band < 4; ++band) {
        bends[band] = bendsOf(facts, bands, band);
        if (bends[band].size() < 16) return {};
        std::vector<double> sizes;
        for (const double bend : bends[band])
            sizes.push_back(std::abs(bend));
        limits[band] = std::max({8 * medianOf(std::move(sizes)), 0.003, 0.003 * contrast});
    }
    std::vector<std::size_t> steps;
    for (std::size_t i = 1; i + 1 < bends[0].size(); ++i) {
        bool isEverywhere = true;
        for (std::size_t band = 0; band < 4; ++band) {
            const double ratio = bends[band][i] / bends[0][i];
            isEverywhere =
                isEverywhere && isStep(bends[band], i, limits[band]) && ratio > 0.5 && ratio < 2;
        }
        if (isEverywhere) steps.push_back(i + 2);
    }
    return steps;
}

// Without the edges of these pixels, about which another problem is told.
void checkBlocks(const Facts& facts, double contrast, const SaturationFound& saturated,
                 std::vector<Problem>& problems) {
    constexpr std::size_t kMaxBlocks = 32;
    constexpr Index kNear = 2;
    const auto list = [&](std::vector<std::size_t> steps, IndexRange without, const char* what) {
        std::erase_if(steps, [&](std::size_t step) {
            const IndexRange near = {without.begin - kNear, without.end + kNear + 1};
            return !without.empty() && near.contains(static_cast<Index>(step));
        });
        if (steps.empty() || steps.size() > kMaxBlocks) return;
        std::string places;
        for (std::size_t i = 0; i < std::min<std::size_t>(4, steps.size()); ++i)
            places += fmt::format("{}{}", i > 0 ? ", " : "", steps[i]);
        warn(problems, "projections.flat",
             fmt::format("the detector has blocks that step against each other at {} {}{}; they "
                         "make rings and bands. Use flat frames of the same exposure and detector "
                         "mode, or level the blocks: --modules fit, or in the desktop set Modules "
                         "to Fitted",
                         what, places, steps.size() > 4 ? ", …" : ""));
    };
    list(stepsIn(facts, &PictureFacts::bandsU, contrast), saturated.columns, "column");
    list(stepsIn(facts, &PictureFacts::bandsV, contrast), saturated.rows, "row");
}

void checkCopies(const OpenScan& scan, const std::vector<std::optional<std::uint64_t>>& hashes,
                 std::vector<Problem>& problems) {
    const auto number = [&](std::size_t i) { return scan.numberOf(static_cast<Index>(i)); };
    const auto isSameSide = [&](std::size_t a, std::size_t b) {
        const ScanGeometry& geometry = scan.description.geometry;
        const double apart = geometry.angleDeg(number(a)) - geometry.angleDeg(number(b));
        return std::abs(std::remainder(apart, 360)) < 1e-6;
    };
    std::map<std::uint64_t, std::size_t> seen;
    std::size_t copies = 0;
    std::pair<std::size_t, std::size_t> example;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (!hashes[i]) continue;
        const auto [at, isNew] = seen.emplace(*hashes[i], i);
        // Without noise, as in a simulation, views from the same side are the same.
        if (!isNew && !isSameSide(at->second, i) && ++copies == 1) example = {at->second, i};
    }
    // What looks the same from most sides is no copy.
    if (copies == 0 || 2 * copies > hashes.size()) return;
    warn(problems, "projections.files",
         fmt::format("view {} is a copy of view {}{}; a picture that was stored twice makes "
                     "streaks. Leave it out with skipViews",
                     number(example.second), number(example.first),
                     copies > 1 ? fmt::format(", and {} more views are copies", copies - 1) : ""));
}

}  // namespace

std::vector<Problem> checkPictures(const OpenScan& scan, int threads, const std::stop_token& stop) {
    const ScanGeometry& geometry = scan.description.geometry;
    const Index views = scan.source->info().views;
    std::vector<Problem> problems;
    if (views < 4) return problems;
    const Facts facts =
        pictureFacts(scan, viewsToLookAt(views), FactsOf::wholeViews, threads, stop);
    // All that follows would be told of values that are none.
    if (const auto problem = checkKind(scan.kind, facts)) return {*problem};
    const double contrast = contrastOf(facts);
    const MidPlane middle = readMidPlane(scan, facts, threads, stop);
    SaturationFound saturation = checkSaturation(scan, stop);
    problems = std::move(saturation.problems);
    checkEdges(scan, facts, contrast, problems);
    checkAir(facts, contrast, scan.calibration && !scan.calibration->beam.empty(), problems);
    checkBlocks(facts, contrast, saturation, problems);
    // Pixels that are saturated in every view stand still while the object turns.
    std::optional<Problem> turning;
    if (saturation.columns.empty())
        turning = checkTurning(geometry, facts, middle.sinogram, contrast);
    // Views that are not a step apart look as if the object had moved.
    if (!turning || turning->field == "detector.offsetMm[0]")
        checkMotion(geometry, facts, contrast, problems);
    if (turning) problems.push_back(std::move(*turning));
    checkCopies(scan, middle.hashes, problems);
    return problems;
}

}  // namespace gantry
