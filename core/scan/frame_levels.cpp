#include "core/scan/frame_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/median.h"
#include "core/base/percent.h"

namespace gantry {

namespace {

// From here on a frame shows something else, and from there on it is odd.
struct Limits {
    double far;
    double near;
};

Limits limitsOf(FrameKind kind, double usual, double spread) {
    constexpr double kSpreads = 10;
    constexpr double kFarShare = 0.25;
    constexpr double kNearShare = 0.03;
    constexpr double kDarkShare = 0.5;
    constexpr double kDarkCounts = 20;  // offsets of a few counts drift
    const double level = std::abs(usual);
    if (kind == FrameKind::dark) {
        const double far = std::max(kDarkShare * level + kDarkCounts, kSpreads * spread);
        return {far, far};
    }
    return {std::max(kFarShare * level, kSpreads * spread),
            std::max(kNearShare * level, kSpreads * spread)};
}

std::string listed(const std::vector<Index>& frames, const std::vector<std::string>& names) {
    constexpr std::size_t kMax = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMax, frames.size()); ++i)
        text += (i > 0 ? ", " : "") + names[frames[i]];
    if (frames.size() > kMax) text += fmt::format(" and {} more", frames.size() - kMax);
    return text;
}

// The mean net signal in blocks of a flat field; NaN where no pixel is good.
std::vector<double> blocksOf(const DetectorCalibration& calibration, const HostBuffer<float>& flat,
                             double view) {
    constexpr Index kBlocks = 16;
    const Index nV = std::min(kBlocks, calibration.rows);
    const Index nU = std::min(kBlocks, calibration.columns);
    std::vector<double> sums(nU * nV);
    std::vector<double> counts(nU * nV);
    HostBuffer<float> dark(calibration.columns);
    HostBuffer<float> unused(calibration.columns);
    for (Index v = 0; v < calibration.rows; ++v) {
        fieldsAt(calibration, view, v * calibration.columns, dark.span(), unused.span());
        for (Index u = 0; u < calibration.columns; ++u) {
            const Index pixel = v * calibration.columns + u;
            const float net = flat[pixel] - dark[u];
            const bool isBad = calibration.bad.count() > 0 && calibration.bad[pixel] != 0;
            if (isBad || !std::isfinite(net)) continue;
            const Index block = v * nV / calibration.rows * nU + u * nU / calibration.columns;
            sums[block] += static_cast<double>(net);
            ++counts[block];
        }
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = counts[i] > 0 ? sums[i] / counts[i] : std::numeric_limits<double>::quiet_NaN();
    return sums;
}

// Median of each column or row of an image, from at most 512 of its pixels.
std::vector<double> lineMedians(const DetectorCalibration& calibration,
                                const HostBuffer<float>& image, bool ofColumns) {
    constexpr Index kSample = 512;
    const Index lines = ofColumns ? calibration.columns : calibration.rows;
    const Index along = ofColumns ? calibration.rows : calibration.columns;
    const Index step = std::max<Index>(1, along / kSample);
    std::vector<double> medians;
    for (Index line = 0; line < lines; ++line) {
        std::vector<double> values;
        for (Index i = 0; i < along; i += step) {
            const Index pixel =
                ofColumns ? i * calibration.columns + line : line * calibration.columns + i;
            const bool isBad = calibration.bad.count() > 0 && calibration.bad[pixel] != 0;
            if (!isBad && std::isfinite(image[pixel]))
                values.push_back(static_cast<double>(image[pixel]));
        }
        medians.push_back(values.empty() ? std::numeric_limits<double>::quiet_NaN()
                                         : medianOf(std::move(values)));
    }
    return medians;
}

// By how much each line differs from the median of those around it; 0 where that is not known.
std::vector<double> fromAround(const std::vector<double>& lines) {
    constexpr std::size_t kAround = 8;
    std::vector<double> apart;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::vector<double> around;
        for (std::size_t j = i - std::min(i, kAround); j < std::min(lines.size(), i + kAround + 1);
             ++j)
            if (j != i && std::isfinite(lines[j])) around.push_back(lines[j]);
        const bool isKnown = around.size() >= 4 && std::isfinite(lines[i]);
        apart.push_back(isKnown ? lines[i] - medianOf(std::move(around)) : 0);
    }
    return apart;
}

// The lines that are odd in the dark field alone.
std::vector<std::string> oddDarkLines(const DetectorCalibration& calibration, bool ofColumns,
                                      double net) {
    constexpr double kOfNet = 0.005;
    constexpr double kOfUsual = 10;
    const std::vector<double> dark =
        fromAround(lineMedians(calibration, calibration.dark, ofColumns));
    const std::vector<double> flat =
        fromAround(lineMedians(calibration, calibration.flat, ofColumns));
    std::vector<double> sizes;
    sizes.reserve(dark.size());
    for (const double apart : dark)
        sizes.push_back(std::abs(apart));
    const double least = std::max(kOfNet * net, kOfUsual * medianOf(std::move(sizes)));
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < dark.size(); ++i)
        if (std::abs(dark[i]) > least && std::abs(flat[i] - dark[i]) > 0.5 * std::abs(dark[i]))
            lines.push_back(
                fmt::format("{} {} ({:+.4g} counts)", ofColumns ? "column" : "row", i, dark[i]));
    return lines;
}

}  // namespace

OddFrames oddFrames(FrameKind kind, const std::vector<double>& means) {
    OddFrames odd;
    if (means.size() < 3) return odd;
    const double usual = medianOf(means);
    std::vector<double> apart;
    apart.reserve(means.size());
    for (const double mean : means)
        apart.push_back(std::abs(mean - usual));
    const Limits limits = limitsOf(kind, usual, medianOf(apart));
    for (std::size_t i = 0; i < means.size(); ++i) {
        if (!(apart[i] <= limits.far))
            odd.far.push_back(static_cast<Index>(i));
        else if (apart[i] > limits.near)
            odd.near.push_back(static_cast<Index>(i));
    }
    if (2 * (odd.far.size() + odd.near.size()) >= means.size()) return {};
    return odd;
}

std::vector<std::string> oddFramesNotes(FrameKind kind, const OddFrames& odd,
                                        const std::vector<double>& means,
                                        const std::vector<std::string>& names) {
    const char* what = kind == FrameKind::dark ? "dark" : "flat";
    std::vector<std::string> notes;
    const auto tell = [&](const std::vector<Index>& frames, const char* remedy) {
        if (frames.empty()) return;
        const bool isOne = frames.size() == 1;
        notes.push_back(fmt::format(
            "{} {} unlike the other {} frames: {} mean is {:.5g} counts, and theirs {:.5g}; {}",
            listed(frames, names), isOne ? "is" : "are", what, isOne ? "its" : "the first one's",
            means[frames.front()], medianOf(means),
            isOne ? fmt::format("it {}", remedy) : fmt::format("they {}", remedy)));
    };
    tell(odd.far, odd.far.size() == 1 ? "is left out. Remove it from the folder or the pattern."
                                      : "are left out. Remove them from the folder or the "
                                        "pattern.");
    tell(odd.near,
         odd.near.size() == 1
             ? "is used all the same. Remove it if the object or a filter was in the beam."
             : "are used all the same. Remove them if the object or a filter was in the beam.");
    return notes;
}

std::vector<std::string> laterFlatsNotes(const DetectorCalibration& calibration) {
    constexpr double kUneven = 0.1;
    std::vector<std::string> notes;
    if (calibration.laterFlats.empty()) return notes;
    const std::vector<double> first = blocksOf(calibration, calibration.flat, calibration.flatView);
    for (const LaterField& later : calibration.laterFlats) {
        const std::vector<double> blocks = blocksOf(calibration, later.image, later.view);
        std::vector<double> shares;
        for (std::size_t i = 0; i < first.size(); ++i)
            if (first[i] > 0 && std::isfinite(blocks[i])) shares.push_back(blocks[i] / first[i]);
        if (shares.size() < 4) continue;
        const auto [low, high] = std::minmax_element(shares.begin(), shares.end());
        if (*high <= 0 || 1 - *low / *high < kUneven) continue;
        notes.push_back(fmt::format(
            "The flat field at view {:.0f} is {} darker against the first one in one part of the "
            "detector than in another, as if the object stood in its beam. Leave these frames out "
            "if it did.",
            later.view, formatPercent(1 - *low / *high)));
    }
    return notes;
}

std::vector<std::string> darkLinesNotes(const DetectorCalibration& calibration) {
    constexpr std::size_t kMax = 4;
    const Index pixels = calibration.rows * calibration.columns;
    if (calibration.dark.count() != pixels || calibration.flat.count() != pixels || pixels == 0)
        return {};
    std::vector<double> nets;
    for (Index i = 0; i < pixels; i += std::max<Index>(1, pixels / 20000))
        if (std::isfinite(calibration.flat[i] - calibration.dark[i]))
            nets.push_back(static_cast<double>(calibration.flat[i] - calibration.dark[i]));
    if (nets.empty()) return {};
    const double net = medianOf(std::move(nets));
    std::vector<std::string> lines = oddDarkLines(calibration, false, net);
    for (std::string& line : oddDarkLines(calibration, true, net))
        lines.push_back(std::move(line));
    if (lines.empty()) return {};
    std::string named;
    for (std::size_t i = 0; i < std::min(kMax, lines.size()); ++i)
        named += (i > 0 ? ", " : "") + lines[i];
    if (lines.size() > kMax) named += fmt::format(" and {} more", lines.size() - kMax);
    return {fmt::format(
        "The dark field differs from that around in {}, from the bottom and the left, and the flat "
        "field does not: odd in the dark frames alone, which makes wrong levels there. Take dark "
        "frames anew, or mark these pixels in a mask, badPixels.",
        named)};
}

}  // namespace gantry
