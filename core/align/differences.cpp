#include "core/align/differences.h"

#include <algorithm>
#include <cmath>

namespace gantry {

Index Differences::count() const {
    return std::ranges::count_if(values, [](double d) { return !std::isnan(d); });
}

double Differences::meanSquare() const {
    double sum = 0;
    for (const double d : values)
        if (!std::isnan(d)) sum += d * d;
    const Index n = count();
    return n > 0 ? sum / static_cast<double>(n) : kUncompared;
}

void removeGroupMeans(std::vector<double>& values, const std::vector<Index>& groups) {
    constexpr Index kMinMembers = 4;
    const Index count = groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
    std::vector<double> sums(count);
    std::vector<Index> members(count);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) continue;
        const auto group = static_cast<std::size_t>(groups[i]);
        sums[group] += values[i];
        ++members[group];
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) continue;
        const auto group = static_cast<std::size_t>(groups[i]);
        values[i] = members[group] < kMinMembers
                        ? kUncompared
                        : values[i] - sums[group] / static_cast<double>(members[group]);
    }
}

std::vector<std::array<Index, 2>> pairsOf(Index views) {
    std::vector<std::array<Index, 2>> pairs;
    pairs.reserve(views * (views - 1) / 2);
    for (Index s = 0; s < views; ++s)
        for (Index other = s + 1; other < views; ++other)
            pairs.push_back({s, other});
    return pairs;
}

}  // namespace gantry
