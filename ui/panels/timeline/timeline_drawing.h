#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <QSizeF>
#include <vector>

#include "ui/models/timeline/timeline_axis.h"
#include "ui/models/timeline/timeline_snapshot.h"
#include "ui/widgets/style/theme.h"

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

/// What a picture of a timeline is made of.
struct TimelineDrawing {
    const TimelineSnapshot& snapshot;
    const TimelineLayout& layout;
    TimeAxis axis;  ///< pixel 0 is at the right edge of the labels
    Theme theme;
    QFont font;
    QSizeF size;
    double scrollY = 0;

    [[nodiscard]] double plotWidth() const { return size.width() - layout.labelWidth; }
    /// The upper edge of a track in the picture.
    [[nodiscard]] double yOf(const TimelineTrack& track) const {
        return layout.rulerHeight + track.y - scrollY;
    }
};

/// Ruler, labels and tracks from the painter's origin. The work is by pixels: spans thinner than
/// one are drawn by what they share of it.
void drawTimeline(QPainter& painter, const TimelineDrawing& drawing);

/// The stages that there are, with their colours and seconds, in one line.
void drawLegend(QPainter& painter, const TimelineDrawing& drawing, const QRectF& place);

}  // namespace gantry
