#pragma once

#include <QFont>
#include <QPainter>

#include "ui/models/timeline/timeline_axis.h"
#include "ui/models/timeline/timeline_snapshot.h"
#include "ui/panels/timeline/timeline_layout.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

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
