#include "ui/panels/timeline/timeline_layout.h"

#include <algorithm>

#include "ui/models/timeline/timeline_hit.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr double kBetweenLanes = kSpacing / 2.0;
constexpr double kBetweenRows = 1;

double labelWidthOf(const TimelineSnapshot& snapshot, const QFontMetricsF& metrics) {
    // The titles of thousands of lanes are similar, so only some are measured.
    constexpr std::size_t kMeasured = 64;
    constexpr double kWidest = 24;  // average characters
    double widest = 0;
    const auto& lanes = snapshot.store.lanes();
    for (std::size_t i = 0; i < std::min(lanes.size(), kMeasured); ++i)
        widest = std::max(
            widest, metrics.horizontalAdvance(laneTitle(snapshot, lanes[i].rank, lanes[i].name)));
    widest = std::min(widest, kWidest * metrics.averageCharWidth());
    return widest + metrics.horizontalAdvance("100 %") + 3 * kSpacing;
}

}  // namespace

TimelineLayout TimelineLayout::of(const TimelineSnapshot& snapshot, const QFontMetricsF& metrics,
                                  QSizeF room) {
    TimelineLayout layout;
    layout.labelWidth = std::min(labelWidthOf(snapshot, metrics), room.width() / 2);
    layout.rulerHeight = metrics.height() + kSpacing;
    std::size_t rows = 0;
    const auto& lanes = snapshot.store.lanes();
    for (const TimelineLane& lane : lanes)
        rows += lane.rows.size();
    if (rows == 0) return layout;
    const double min = metrics.height() + 4;
    const double free = room.height() - layout.rulerHeight -
                        kBetweenLanes * static_cast<double>(lanes.size() + 1) -
                        kBetweenRows * static_cast<double>(rows - lanes.size());
    const double height = std::floor(std::clamp(free / static_cast<double>(rows), min, 1.7 * min));
    double y = kBetweenLanes;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        for (std::size_t row = 0; row < lanes[lane].rows.size(); ++row) {
            layout.tracks.push_back({lane, row, y, height});
            y += height + kBetweenRows;
        }
        y += kBetweenLanes - kBetweenRows;
    }
    layout.contentHeight = y;
    return layout;
}

const TimelineTrack* TimelineLayout::trackAt(double y) const {
    const auto after = std::partition_point(tracks.begin(), tracks.end(),
                                            [&](const TimelineTrack& at) { return at.y <= y; });
    if (after == tracks.begin()) return nullptr;
    const TimelineTrack& track = *std::prev(after);
    return y < track.y + track.height ? &track : nullptr;
}

}  // namespace gantry
