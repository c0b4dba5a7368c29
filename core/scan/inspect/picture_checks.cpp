#include "core/scan/inspect/picture_checks.h"

#include <fmt/format.h>
#include <Eigen/QR>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/median.h"
#include "core/base/percent.h"
#include "core/geometry/volume_grid.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/stack/load_view_stack.h"

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

void checkAir(const Facts& facts, double contrast, std::vector<Problem>& problems) {
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
    const auto [least, most] = std::minmax_element(air.begin(), air.end());
    if (*most - *least > same)
        warn(problems, "projections.flat",
             fmt::format("the beam drifts by {} over the scan, by the air beside the object; "
                         "levels drift with it. Normalise each view by it: --flux air, or in the "
                         "desktop set Beam flux to Air beside the object",
                         formatPercent(1 - std::exp(*least - *most))));
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

// What two rows show within the columns that have a mirror image about the axis on the detector,
// which of an offset detector are few.
struct RowsAboutAxis {
    std::vector<double> first;
    std::vector<double> last;
    std::vector<double> mirroredFirst;
};

RowsAboutAxis aboutAxis(const std::vector<double>& first, const std::vector<double>& last,
                        double axis) {
    RowsAboutAxis rows;
    for (std::size_t u = 0; u < first.size(); ++u) {
        const double from = 2 * axis - static_cast<double>(u);
        const auto at = static_cast<std::ptrdiff_t>(std::floor(from));
        if (at < 0 || at + 1 >= std::ssize(first)) continue;
        const double share = from - std::floor(from);
        const auto i = static_cast<std::size_t>(at);
        rows.first.push_back(first[u]);
        rows.last.push_back(last[u]);
        rows.mirroredFirst.push_back((1 - share) * first[i] + share * first[i + 1]);
    }
    return rows;
}

// A turn that was a half one ends as the mirror image of its beginning.
void checkTurn(const ScanGeometry& geometry, const Facts& facts, double contrast,
               std::vector<Problem>& problems) {
    if (!geometry.isFullCircle() || geometry.coverageDeg() > 365) return;
    const PictureFacts& first = facts.front();
    const PictureFacts& last = facts.back();
    const RowsAboutAxis rows = aboutAxis(first.middleRows, last.middleRows, geometry.axisColumn());
    if (rows.last.size() < 8) return;
    const double direct = difference(rows.first, rows.last);
    const double turned = difference(rows.mirroredFirst, rows.last);
    if (direct < 0.03 * contrast || turned > 0.4 * direct) return;
    warn(problems, "trajectory.arcDeg",
         fmt::format("the scan states {:.4g}°, but its last view is the mirror image of the first "
                     "one (they differ by {:.2g}, and by {:.2g} unmirrored), as after half a turn; "
                     "check the arc",
                     geometry.coverageDeg(), turned, direct));
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
// object that is cut off seems to move.
void checkMotion(const ScanGeometry& geometry, const Facts& facts, double contrast,
                 std::vector<Problem>& problems) {
    constexpr double kMovedPx = 1;
    if (!geometry.isFullCircle() || geometry.coverageDeg() > 365 || facts.size() < 3) return;
    const auto stepDeg = [](const PictureFacts& a, const PictureFacts& b) {
        return std::abs(std::remainder(b.angleDeg - a.angleDeg, 360));
    };
    const double step = stepDeg(facts[0], facts[1]);
    if (std::abs(stepDeg(facts.back(), facts.front()) - step) > 0.5 * step) return;
    for (const PictureFacts* fact : {&facts[0], &facts[1], &facts.back()})
        if (isObject(fact->left, contrast) || isObject(fact->right, contrast)) return;
    const auto moved = [&](const std::vector<double> PictureFacts::*profile) {
        const double usual = shiftOf(facts[0].*profile, facts[1].*profile);
        return shiftOf(facts.back().*profile, facts.front().*profile) - usual;
    };
    const double alongU = moved(&PictureFacts::alongU);
    const double alongV = moved(&PictureFacts::alongV);
    if (std::hypot(alongU, alongV) <= kMovedPx) return;
    warn(problems, "projections.files",
         fmt::format("the object moved by {:.1f} px along the columns and {:.1f} px along the rows "
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

void checkBlocks(const Facts& facts, double contrast, std::vector<Problem>& problems) {
    constexpr std::size_t kMaxBlocks = 32;
    const auto list = [&](const std::vector<std::size_t>& steps, const char* what) {
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
    list(stepsIn(facts, &PictureFacts::bandsU, contrast), "column");
    list(stepsIn(facts, &PictureFacts::bandsV, contrast), "row");
}

// A view's line integrals about the mid-plane, less those of the air beside the object.
struct ViewMass {
    double angleRad = 0;
    double mass = 0;    // their sum
    double moment = 0;  // their sum with each times its column
};

ViewMass massOf(const PictureFacts& fact) {
    ViewMass sums = {.angleRad = fact.angleDeg * std::numbers::pi / 180};
    const auto columns = static_cast<double>(fact.middleRows.size());
    for (std::size_t u = 0; u < fact.middleRows.size(); ++u) {
        const auto column = static_cast<double>(u);
        const double air = std::lerp(fact.left.level, fact.right.level, column / (columns - 1));
        sums.mass += fact.middleRows[u] - air;
        sums.moment += (fact.middleRows[u] - air) * column;
    }
    return sums;
}

// A ray and its conjugate measure the same, at equal distances from the axis: over a turn, each
// view by the angle between its neighbours, the moments about the axis add up to 0.
double axisOfTurn(std::vector<ViewMass> views) {
    constexpr double kTurn = 2 * std::numbers::pi;
    for (ViewMass& view : views)
        view.angleRad -= kTurn * std::floor(view.angleRad / kTurn);
    std::ranges::sort(views, {}, &ViewMass::angleRad);
    double mass = 0;
    double moment = 0;
    for (std::size_t i = 0; i < views.size(); ++i) {
        const double before = i > 0 ? views[i - 1].angleRad : views.back().angleRad - kTurn;
        const double after =
            i + 1 < views.size() ? views[i + 1].angleRad : views.front().angleRad + kTurn;
        mass += (after - before) * views[i].mass;
        moment += (after - before) * views[i].moment;
    }
    return moment / mass;
}

// By parallel rays the centre of mass is seen to move along a sine about the axis.
double axisOfHalfTurn(const std::vector<ViewMass>& views) {
    const auto count = static_cast<Eigen::Index>(views.size());
    Eigen::MatrixX3d waves(count, 3);
    Eigen::VectorXd centers(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const ViewMass& view = views[i];
        waves.row(i) << 1, std::cos(view.angleRad), std::sin(view.angleRad);
        centers[i] = view.moment / view.mass;
    }
    return waves.colPivHouseholderQr().solve(centers)[0];
}

void checkAxis(const ScanGeometry& geometry, const Facts& facts, double contrast,
               std::vector<Problem>& problems) {
    const bool isTurn = geometry.isFullCircle();
    if (!isTurn && !geometry.isHalfCircle()) return;
    std::vector<ViewMass> views;
    for (const PictureFacts& fact : facts) {
        if (isObject(fact.left, contrast) || isObject(fact.right, contrast)) return;
        views.push_back(massOf(fact));
    }
    const double seen = isTurn ? axisOfTurn(std::move(views)) : axisOfHalfTurn(views);
    const double stated = geometry.axisColumn();
    // From here on edges come out double.
    const double maxOff = std::max(1.5, 0.002 * static_cast<double>(geometry.detector.columns));
    if (!(std::abs(seen - stated) > maxOff)) return;
    warn(problems, "detector.offsetMm[0]",
         fmt::format("the rotation axis is stated to be seen on column {:.1f}, and the views are "
                     "symmetrical about column {:.1f}; a wrong axis makes arcs and double edges. "
                     "`gantry align` or Align in the desktop finds it",
                     stated, seen));
}

// Without noise, as in a simulation, views beside the object are nothing but even air.
bool showsAnything(Span3<const float> view) {
    constexpr float kEven = 0.001F;  // a line integral, less than the noise of any detector
    const auto [low, high] = std::minmax_element(view.data(), view.data() + view.count());
    return *high - *low > kEven;
}

// All views by some of their rows if these can be read alone or are few.
void checkCopies(const OpenScan& scan, int threads, const std::stop_token& stop,
                 std::vector<Problem>& problems) {
    constexpr Index kMaxBytes = Index{512} << 20;
    constexpr Index kRows = 8;
    const SourceInfo& info = scan.source->info();
    if (!info.readsRowsAlone && info.views * info.rows * scan.storedRowBytes() > kMaxBytes) return;
    std::vector<Index> all(info.views);
    std::iota(all.begin(), all.end(), Index{0});
    const Index from = std::max<Index>(0, info.rows / 2 - kRows / 2);
    std::vector<std::optional<std::uint64_t>> hashes(all.size());
    visitViews(
        scan, all, {from, std::min(info.rows, from + kRows)}, threads,
        [&](std::size_t i, Span3<const float> view) {
            if (showsAnything(view)) hashes[i] = hashOf(view);
        },
        [](double) {}, stop);
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
    const double contrast = contrastOf(facts);
    checkEdges(scan, facts, contrast, problems);
    checkAir(facts, contrast, problems);
    checkTurn(geometry, facts, contrast, problems);
    checkMotion(geometry, facts, contrast, problems);
    checkBlocks(facts, contrast, problems);
    checkAxis(geometry, facts, contrast, problems);
    checkCopies(scan, threads, stop, problems);
    return problems;
}

}  // namespace gantry
