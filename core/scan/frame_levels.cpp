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

}  // namespace gantry
