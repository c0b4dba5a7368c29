#include "core/scan/inspect/pixel_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/median.h"
#include "core/base/percent.h"

namespace gantry {

namespace {

constexpr std::array<int, 6> kTypicalBits = {8, 10, 12, 14, 15, 16};

std::optional<int> bitsOf(double largest) {
    for (const int bits : kTypicalBits)
        if (largest == std::ldexp(1, bits) - 1) return bits;
    return std::nullopt;
}

// Noise thins out towards its largest value. Cut off, it piles up there.
bool isPiledUp(const LargestCount& top) {
    constexpr double kMinShare = 0.001;
    constexpr Index kMinPixels = 20;
    return top.at >= kMinPixels && top.share() > kMinShare && 2 * top.at > 3 * top.justBelow;
}

bool isSameLevel(const std::vector<LargestCount>& tops) {
    return std::ranges::all_of(
        tops, [&](const LargestCount& top) { return top.level == tops.front().level; });
}

// The largest value at which most views pile up.
std::optional<double> commonPile(const std::vector<LargestCount>& tops) {
    std::vector<double> levels;
    for (const LargestCount& top : tops)
        if (isPiledUp(top)) levels.push_back(top.level);
    if (2 * levels.size() < tops.size() || levels.empty()) return std::nullopt;
    const double level = medianOf(levels);
    return 2 * std::ranges::count(levels, level) > std::ssize(tops) ? std::optional(level)
                                                                    : std::nullopt;
}

std::string piledUp(double level, int bits, const std::vector<LargestCount>& tops, double ofFlat) {
    std::vector<double> shares;
    shares.reserve(tops.size());
    for (const LargestCount& top : tops)
        shares.push_back(top.level == level ? top.share() : 0);
    const std::string flat =
        ofFlat > 0.001 ? fmt::format(" and {} of the flat field's", formatPercent(ofFlat)) : "";
    const std::string remedy =
        ofFlat > 0.5 ? "take views and flat frames with less exposure"
                     : fmt::format(
                           "take them with less exposure; \"saturationValue\": {} leaves "
                           "out the pixels that are saturated in the flat field",
                           level);
    return fmt::format(
        "{} of the views' pixels{} have exactly {} counts, the largest value of {} bits: they are "
        "saturated, and the object has too little attenuation, or none, in front of them; {}",
        formatPercent(medianOf(std::move(shares))), flat, level, bits, remedy);
}

// Pixels that are at the largest value in all views: a block or columns that lost their signal.
void findAlways(const RawViews& views, const SourceInfo& info, SaturationFound& found) {
    constexpr Index kMinPixels = 16;
    Index count = 0;
    IndexRange columns{0, 0};
    IndexRange rows{0, 0};
    for (Index i = 0; i < std::ssize(views.isAlwaysAtTop); ++i) {
        if (views.isAlwaysAtTop[static_cast<std::size_t>(i)] == 0) continue;
        ++count;
        const Index column = i % info.columns;
        const Index row = i / info.columns;
        columns = hullOf(columns, {column, column + 1});
        rows = hullOf(rows, {row, row + 1});
    }
    // What is spread over the detector is air.
    if (count < kMinPixels || 10 * count < 9 * columns.size() * rows.size() ||
        2 * count > info.rows * info.columns)
        return;
    found.columns = columns;
    found.rows = rows;
    const std::string where = rows.size() == info.rows
                                  ? "of all rows"
                                  : fmt::format("of rows {} to {}", rows.begin, rows.end - 1);
    found.problems.push_back(
        {Problem::Severity::warning, "projections.files",
         fmt::format(
             "the pixels of columns {} to {} {} have {} counts, the largest value, in every "
             "view that was looked at, though not in the flat field: nothing is seen by "
             "them. Mark them in a mask, badPixels",
             columns.begin, columns.end - 1, where, views.tops.front().level)});
}

}  // namespace

SaturationFound checkSaturation(const OpenScan& scan, const RawViews& views) {
    SaturationFound found;
    if (scan.kind != ProjectionKind::counts) return found;
    const DetectorCalibration& calibration = *scan.calibration;
    const SourceInfo& info = scan.source->info();
    const Index pixels = info.rows * info.columns;
    if (calibration.flat.count() != pixels) return found;
    const double first = views.tops.front().level;
    if (isSameLevel(views.tops) && (bitsOf(first) || first == calibration.saturation))
        findAlways(views, info, found);
    const std::optional<double> level = commonPile(views.tops);
    const std::optional<int> bits = level ? bitsOf(*level) : std::nullopt;
    const bool isKnown = level && calibration.saturation && *level >= *calibration.saturation;
    if (!bits || isKnown || found.columns.size() > 0) return found;
    const LargestCount flat = largestCountOf(calibration.flat.span(), calibration.bad);
    found.problems.push_back(
        {Problem::Severity::warning, "projections.files",
         piledUp(*level, *bits, views.tops, flat.level == *level ? flat.share() : 0)});
    return found;
}

}  // namespace gantry
