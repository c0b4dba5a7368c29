#include "ui/models/image/matter_window.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace gantry {

double matterThreshold(const Histogram& histogram) {
    const double total = std::accumulate(histogram.bins.begin(), histogram.bins.end(), 0.0);
    double moment = 0;
    for (std::size_t i = 0; i < histogram.bins.size(); ++i)
        moment += static_cast<double>(i) * static_cast<double>(histogram.bins[i]);
    double below = 0;
    double momentBelow = 0;
    double best = -1;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < histogram.bins.size(); ++i) {
        below += static_cast<double>(histogram.bins[i]);
        momentBelow += static_cast<double>(i) * static_cast<double>(histogram.bins[i]);
        if (below <= 0 || below >= total) continue;
        const double apart = momentBelow / below - (moment - momentBelow) / (total - below);
        const double between = below * (total - below) * apart * apart;
        if (between <= best) continue;
        best = between;
        at = i + 1;
    }
    const double share = static_cast<double>(at) / static_cast<double>(histogram.bins.size());
    return histogram.low + share * (histogram.high - histogram.low);
}

GreyWindow matterWindow(std::span<const float> voxels) {
    constexpr std::size_t kMaxSamples = 400'000;
    // A window of some standard deviations of the most common matter shows small differences from
    // it; below that part of all greys there is only noise.
    constexpr double kSpreads = 4;
    constexpr double kMinShare = 0.03;
    const GreyWindow whole = autoWindow(voxels);
    const double threshold = matterThreshold(histogramOf(voxels));
    std::vector<float> matter;
    const std::size_t step = voxels.size() / kMaxSamples + 1;
    for (std::size_t i = 0; i < voxels.size(); i += step)
        if (std::isfinite(voxels[i]) && static_cast<double>(voxels[i]) > threshold)
            matter.push_back(voxels[i]);
    if (matter.size() < 2) return whole;
    std::ranges::sort(matter);
    // The shortest interval with half of the values.
    const std::size_t half = matter.size() / 2;
    std::size_t first = 0;
    for (std::size_t i = 0; i + half < matter.size(); ++i)
        if (matter[i + half] - matter[i] < matter[first + half] - matter[first]) first = i;
    const auto low = static_cast<double>(matter[first]);
    const auto high = static_cast<double>(matter[first + half]);
    const double reach = std::max(kSpreads * (high - low), kMinShare * whole.width());
    return {(low + high) / 2 - reach, (low + high) / 2 + reach};
}

}  // namespace gantry
