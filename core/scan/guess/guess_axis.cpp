#include "core/scan/guess/guess_axis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace gantry {

namespace {

constexpr Index kPairsCompared = 6;

using Pairs = std::vector<std::pair<RowStrip, RowStrip>>;

Pairs oppositeStrips(const StripReader& strips) {
    Pairs pairs;
    const Index half = strips.views() / 2;
    for (Index i = 0; i < kPairsCompared; ++i) {
        const Index first = i * half / kPairsCompared;
        pairs.emplace_back(strips.read(first), strips.read(first + half));
    }
    return pairs;
}

double meanMismatch(const Pairs& pairs, double column) {
    double sum = 0;
    for (const auto& [a, b] : pairs)
        sum += mirroredMismatch(a, b, column);
    return sum / static_cast<double>(pairs.size());
}

double levelOf(const RowStrip& strip, Index begin, Index end) {
    double sum = 0;
    for (Index v = 0; v < strip.rows; ++v)
        for (Index u = begin; u < end; ++u)
            sum += static_cast<double>(strip.values[v * strip.columns + u]);
    return sum / static_cast<double>(strip.rows * (end - begin));
}

}  // namespace

std::optional<EdgeAxis> findEdgeAxis(const StripReader& strips) {
    constexpr double kFits = 0.25;
    constexpr double kClearly = 4;
    constexpr Index kMaxTried = 1024;
    if (strips.views() < 2 * kPairsCompared) return std::nullopt;
    const Pairs pairs = oppositeStrips(strips);
    const auto columns = static_cast<double>(strips.columns());
    const double step =
        std::max(1.0, columns / static_cast<double>(kMaxTried)) / 2;  // sums of two columns
    std::vector<std::pair<double, double>> tried;                     // column, mismatch
    for (double column = 0; column < columns; column += step)
        tried.emplace_back(column, meanMismatch(pairs, column));
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto best = std::ranges::min_element(tried, less);
    if (!(best->second < kFits)) return std::nullopt;
    const double near = std::max(4.0, columns / 50);
    for (const auto& [column, mismatch] : tried)
        if (std::abs(column - best->first) > near && mismatch < kClearly * best->second)
            return std::nullopt;
    const double toEdge = std::min(best->first, columns - 1 - best->first);
    return EdgeAxis{best->first, static_cast<Index>(std::lround(2 * toEdge)) + 1};
}

std::string edgePassedAlone(const StripReader& strips) {
    constexpr Index kViews = 12;
    constexpr double kMinExcess = 0.15;  // of the darkest place
    constexpr double kMinShare = 0.75;
    const Index views = std::min(kViews, strips.views());
    const Index width = std::max<Index>(2, strips.columns() / 50);
    if (strips.columns() < 4 * width) return {};
    Index left = 0;
    Index right = 0;
    for (Index i = 0; i < views; ++i) {
        const RowStrip strip = strips.read(i * strips.views() / views);
        double darkest = 0;
        for (Index u = 0; u + width <= strip.columns; u += width)
            darkest = std::max(darkest, levelOf(strip, u, u + width));
        const double excess =
            levelOf(strip, 0, width) - levelOf(strip, strip.columns - width, strip.columns);
        left += excess > kMinExcess * darkest;
        right += -excess > kMinExcess * darkest;
    }
    const double needed = kMinShare * static_cast<double>(views);
    if (static_cast<double>(left) >= needed) return "left";
    return static_cast<double>(right) >= needed ? "right" : "";
}

}  // namespace gantry
