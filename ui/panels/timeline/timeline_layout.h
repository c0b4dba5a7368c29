#pragma once

#include <QFontMetricsF>
#include <QSizeF>
#include <vector>

#include "ui/models/timeline/timeline_snapshot.h"

namespace gantry {

/// A line of spans in the drawing: a row of a timeline lane.
struct TimelineTrack {
    std::size_t lane = 0;
    std::size_t row = 0;
    double y = 0;  ///< below the ruler, before scrolling
    double height = 0;
};

/// Where the parts of a timeline stand: the ruler on top, labels on the left, tracks below each
/// other. Logical pixels.
struct TimelineLayout {
    double labelWidth = 0;
    double rulerHeight = 0;
    double contentHeight = 0;  ///< of all tracks
    std::vector<TimelineTrack> tracks;

    /// Tracks grow with the room that there is, within limits.
    [[nodiscard]] static TimelineLayout of(const TimelineSnapshot& snapshot,
                                           const QFontMetricsF& metrics, QSizeF room);
    /// Null where there is none.
    [[nodiscard]] const TimelineTrack* trackAt(double y) const;
};

}  // namespace gantry
