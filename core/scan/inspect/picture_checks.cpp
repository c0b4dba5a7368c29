#include "core/scan/inspect/picture_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "core/base/median.h"
#include "core/base/percent.h"
#include "core/geometry/volume_grid.h"
#include "core/scan/inspect/jitter_check.h"
#include "core/scan/inspect/mid_plane.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/inspect/pixel_checks.h"
#include "core/scan/inspect/raw_views.h"
#include "core/scan/inspect/scale_check.h"
#include "core/scan/inspect/shift_check.h"
#include "core/scan/inspect/sinogram_checks.h"
#include "core/scan/inspect/text_order_check.h"

namespace gantry {

namespace {

using Facts = std::vector<PictureFacts>;

bool isAir(const EdgeStrip& strip, double contrast) {
    return !strip.isWithinObject &&
           std::max(strip.spread, std::abs(strip.slope)) < std::max(0.004, 0.004 * contrast) &&
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

void checkCopies(const OpenScan& scan, const MidPlane& middle, std::vector<Problem>& problems) {
    const std::vector<std::optional<std::uint64_t>>& hashes = middle.hashes;
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
    // What looks the same from most sides is no copy, nor, without noise, what does from several.
    constexpr std::size_t kMaxWithoutNoise = 4;
    if (copies == 0 || 2 * copies > hashes.size()) return;
    if (copies > kMaxWithoutNoise && !(middle.sinogram.noise() > 0)) return;
    warn(problems, "projections.files",
         fmt::format("view {} is a copy of view {}{}; a picture that was stored twice makes "
                     "streaks. Leave it out with skipViews",
                     number(example.second), number(example.first),
                     copies > 1 ? fmt::format(", and {} more views are copies", copies - 1) : ""));
}

// What speaks against the object's turning as stated. Later reasons would be wrong where an earlier
// one holds.
std::vector<Problem> checkMovements(const OpenScan& scan, const Facts& facts,
                                    const Sinogram& sinogram, double contrast, bool isUndisturbed) {
    const ScanGeometry& geometry = scan.description.geometry;
    if (const auto sorted = checkTextOrder(geometry, sinogram)) return {*sorted};
    if (const auto standing = checkStandstill(geometry, sinogram)) return {*standing};
    // Views that all shake may look as if they jumped, or stood still, somewhere.
    std::optional<Problem> moved = checkJitter(geometry, facts, sinogram);
    if (const auto jumps = moved ? std::nullopt : checkJumps(geometry, sinogram)) return {*jumps};
    std::vector<Problem> problems;
    std::optional<Problem> turning;
    if (isUndisturbed) turning = checkTurning(geometry, facts, sinogram, contrast);
    // Views that are not a step apart look as if the object had moved.
    if (!moved && (!turning || turning->field == "detector.offsetMm[0]"))
        moved = checkShifts(geometry, facts, contrast);
    if (moved) problems.push_back(std::move(*moved));
    if (turning) problems.push_back(std::move(*turning));
    return problems;
}

void add(std::vector<Problem> more, std::vector<Problem>& problems) {
    for (Problem& problem : more)
        problems.push_back(std::move(problem));
}

}  // namespace

std::vector<Problem> checkPictures(const OpenScan& scan, int threads, const std::stop_token& stop) {
    const Index views = scan.source->info().views;
    std::vector<Problem> problems;
    if (views < 4) return problems;
    // All that follows would be told of values that are none.
    if (const auto problem = checkByteOrder(scan)) return {*problem};
    const std::vector<Index> chosen = viewsToLookAt(views);
    const Facts facts = pictureFacts(scan, chosen, FactsOf::wholeViews, threads, stop);
    if (const auto problem = checkPartialViews(scan, chosen, facts, stop)) return {*problem};
    if (const auto problem = checkKind(scan.kind, facts)) return {*problem};
    const double contrast = contrastOf(facts);
    const MidPlane middle = readMidPlane(scan, facts, threads, stop);
    const RawViews raw = lookAtRaw(scan, stop);
    SaturationFound disturbed = checkSaturation(scan, raw);
    problems = std::move(disturbed.problems);
    if (disturbed.columns.empty())
        if (auto still = checkStill(scan, raw, facts)) {
            disturbed.columns = still->columns;
            disturbed.rows = still->rows;
            problems.push_back(std::move(still->problem));
        }
    if (scan.kind == ProjectionKind::attenuation)
        if (auto scaled = checkScale(facts)) problems.push_back(std::move(*scaled));
    checkEdges(scan, facts, contrast, problems);
    const bool isUndisturbed = disturbed.columns.empty();
    const std::optional<Problem> flat = isUndisturbed ? checkFlat(facts, contrast) : std::nullopt;
    if (flat)
        problems.push_back(*flat);
    else
        checkAir(facts, contrast, scan.calibration && !scan.calibration->beam.empty(), problems);
    add(checkBlocks(facts, contrast, disturbed.columns, disturbed.rows), problems);
    // Pixels that stand still while the object turns, and a fixed picture, disturb what is turning.
    if (!flat) add(checkMovements(scan, facts, middle.sinogram, contrast, isUndisturbed), problems);
    checkCopies(scan, middle, problems);
    return problems;
}

}  // namespace gantry
