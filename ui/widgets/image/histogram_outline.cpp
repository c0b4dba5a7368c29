#include "ui/widgets/image/histogram_outline.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

// The count that is drawn at full height. The peak of the air around the object would flatten
// everything else, so the few highest bins may be cut off.
Index shownCount(const Histogram& histogram) {
    std::vector<Index> counts;
    for (const Index count : histogram.bins) {
        if (count > 0) counts.push_back(count);
    }
    if (counts.empty()) return 0;
    const auto max = *std::max_element(counts.begin(), counts.end());
    const auto nth = counts.begin() + (std::ssize(counts) - 1) * 98 / 100;
    std::nth_element(counts.begin(), nth, counts.end());
    return std::min(max, 2 * *nth);
}

}  // namespace

QPainterPath histogramOutline(const Histogram& histogram, const QRectF& area,
                              const std::function<double(double value)>& xOf) {
    const Index max = shownCount(histogram);
    if (max == 0) return {};
    const double width =
        (histogram.high - histogram.low) / static_cast<double>(histogram.bins.size());
    QPainterPath path(QPointF(xOf(histogram.low), area.bottom()));
    for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
        // The square root makes the few voxels of a small part visible beside the air.
        const double part = static_cast<double>(histogram.bins[i]) / static_cast<double>(max);
        const double share = std::min(1.0, std::sqrt(part));
        const double y = area.bottom() - share * area.height();
        const double low = histogram.low + width * static_cast<double>(i);
        path.lineTo(xOf(low), y);
        path.lineTo(xOf(low + width), y);
    }
    path.lineTo(xOf(histogram.high), area.bottom());
    path.closeSubpath();
    return path;
}

}  // namespace gantry
