#include "ui/panels/timeline/timeline_drawing.h"

#include <QImage>
#include <algorithm>
#include <cmath>

#include "ui/models/timeline/stage_colours.h"
#include "ui/models/timeline/timeline_fold.h"
#include "ui/models/timeline/timeline_hit.h"

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

namespace {

constexpr double kSeparated = 5;  // pixels from which a span has an edge of its own
constexpr double kLabelled = 22;  // from which it may have a label
constexpr double kTold = 90;      // from which a gap may say what it is

double luminance(const QColor& colour) {
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

// Black or white, whichever is easier to read on it.
QColor inkOn(Stage stage) {
    constexpr double kEven = 0.179;
    return luminance(stageColour(stage)) > kEven ? QColor(0x10, 0x12, 0x16) : QColor(Qt::white);
}

QColor faint(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

// Draws track by track; the common parts are made once.
class TrackPainter {
  public:
    TrackPainter(QPainter& painter, const TimelineDrawing& drawing)
        : m_painter(painter),
          m_drawing(drawing),
          m_metrics(drawing.font),
          m_columns(static_cast<int>(std::ceil(drawing.plotWidth()))) {
        for (int i = 0; i < kStageCount; ++i)
            m_nameWidths[i] = m_metrics.horizontalAdvance(stageTitle(static_cast<Stage>(i)) + " ");
    }

    void draw(const TimelineTrack& track) {
        const TimelineLane& lane = m_drawing.snapshot.store.lanes()[track.lane];
        const SpanRow& row = lane.rows[track.row];
        m_place = QRectF(m_drawing.layout.labelWidth, m_drawing.yOf(track), m_drawing.plotWidth(),
                         track.height);
        drawFolded(row);
        const WideSpans wide = wideSpans(row, m_drawing.axis, m_columns, kSeparated);
        for (const WideSpan& span : wide.spans)
            drawEdgeAndLabel(row[span.index], span);
        if (track.row > 0) return;
        for (const WideSpan& gap : wide.gaps)
            drawGaps(lane, gap);
    }

  private:
    void drawFolded(const SpanRow& row) {
        const double ratio = m_painter.device()->devicePixelRatioF();
        const int columns = static_cast<int>(std::ceil(m_place.width() * ratio));
        const std::vector<QRgb> line =
            colours(fold(row, m_drawing.axis.withPixelRatio(ratio), columns));
        if (line.empty()) return;
        const QImage image(reinterpret_cast<const uchar*>(line.data()), columns, 1,
                           QImage::Format_ARGB32_Premultiplied);
        m_painter.fillRect(m_place, faint(m_drawing.theme.line, 0.28));
        m_painter.drawImage(QRectF(m_place.x(), m_place.y(), columns / ratio, m_place.height()),
                            image);
    }

    void drawEdgeAndLabel(const LaneSpan& span, const WideSpan& place) {
        const QRectF box(m_place.x() + place.beginX, m_place.y(), place.endX - place.beginX,
                         m_place.height());
        m_painter.fillRect(QRectF(box.x(), box.y(), 1, box.height()),
                           faint(m_drawing.theme.background, 0.6));
        if (box.width() < kLabelled) return;
        QString text = QString::number(span.batch);
        double width = static_cast<double>(text.size()) * m_metrics.horizontalAdvance('0');
        const double nameWidth = m_nameWidths[static_cast<std::size_t>(span.stage)];
        if (width + nameWidth + kSpacing < box.width()) {
            text = stageTitle(span.stage) + " " + text;
            width += nameWidth;
        }
        if (width + 4 > box.width()) return;
        m_painter.setPen(inkOn(span.stage));
        m_painter.drawText(box, Qt::AlignCenter, text);
    }

    // A pause parts a gap in two, each with its own cause.
    void drawGaps(const TimelineLane& lane, const WideSpan& place) {
        double beginX = place.beginX;
        for (const TimelinePause& pause : m_drawing.snapshot.pauses) {
            const double x = m_drawing.axis.xOf(pause.atNs);
            if (x <= beginX || x >= place.endX) continue;
            drawGap(lane, {place.index, beginX, x - kPauseWidth / 2});
            beginX = x + kPauseWidth / 2;
        }
        drawGap(lane, {place.index, beginX, place.endX});
    }

    void drawGap(const TimelineLane& lane, const WideSpan& place) {
        if (place.endX - place.beginX < kTold) return;
        const TimelineSnapshot& snapshot = m_drawing.snapshot;
        const std::int64_t middle = m_drawing.axis.nsAt((place.beginX + place.endX) / 2);
        const auto gap = gapAt(snapshot.store, lane, middle, snapshot.isOver);
        if (!gap) return;
        const QRectF box(m_place.x() + place.beginX, m_place.y(), place.endX - place.beginX,
                         m_place.height());
        QString text = QString::fromStdString(describe(*gap));
        if (m_metrics.horizontalAdvance(text) + 2 * kSpacing > box.width())
            text = QString::fromStdString(formatSpanTime(gap->seconds()));
        m_painter.setPen(m_drawing.theme.muted);
        m_painter.drawText(box, Qt::AlignCenter, text);
    }

    QPainter& m_painter;
    const TimelineDrawing& m_drawing;
    QFontMetricsF m_metrics;
    int m_columns;
    std::array<double, kStageCount> m_nameWidths{};
    QRectF m_place;
};

void drawRuler(QPainter& painter, const TimelineDrawing& drawing) {
    const TimelineLayout& layout = drawing.layout;
    const QFontMetricsF metrics(drawing.font);
    const double minPixels = metrics.horizontalAdvance("+0000 ms") + 3 * kSpacing;
    const TimeRuler ruler = rulerFor(drawing.axis, drawing.plotWidth(), minPixels);
    const double bottom = drawing.size.height();
    for (const TimeRuler::Tick& tick : ruler.ticks) {
        const double x = std::round(layout.labelWidth + tick.x);
        painter.fillRect(QRectF(x, layout.rulerHeight, 1, bottom - layout.rulerHeight),
                         faint(drawing.theme.line, 0.5));
        painter.fillRect(QRectF(x, 0, 1, layout.rulerHeight), drawing.theme.line);
        painter.setPen(drawing.theme.muted);
        painter.drawText(QRectF(x + kSpacing / 2.0, 0, minPixels, layout.rulerHeight),
                         Qt::AlignLeft | Qt::AlignVCenter, tick.text);
    }
    painter.setPen(drawing.theme.muted);
    painter.drawText(QRectF(0, 0, layout.labelWidth - kSpacing, layout.rulerHeight),
                     Qt::AlignRight | Qt::AlignVCenter, ruler.base);
}

void drawLabel(QPainter& painter, const TimelineDrawing& drawing, const TimelineTrack& track) {
    const TimelineSnapshot& snapshot = drawing.snapshot;
    const TimelineLane& lane = snapshot.store.lanes()[track.lane];
    const QFontMetricsF metrics(drawing.font);
    QRectF place(kSpacing, drawing.yOf(track), drawing.layout.labelWidth - 2 * kSpacing,
                 track.height);
    const double all = 1e-9 * static_cast<double>(snapshot.run().lengthNs());
    if (track.lane < snapshot.uses.size() && all > 0) {
        const double busy = 1 - snapshot.uses[track.lane].idleSeconds / all;
        painter.setPen(drawing.theme.muted);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                         QString("%1 %").arg(std::lround(100 * std::clamp(busy, 0.0, 1.0))));
        place.setRight(place.right() - metrics.horizontalAdvance("100 %") - kSpacing);
    }
    painter.setPen(drawing.theme.text);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(laneTitle(snapshot, lane.rank, lane.name), Qt::ElideRight,
                                        place.width()));
}

// A hatched mark through all lanes for each pause, with its length above where there is room.
void drawPauses(QPainter& painter, const TimelineDrawing& drawing) {
    const TimelineLayout& layout = drawing.layout;
    const QFontMetricsF metrics(drawing.font);
    const double bottom =
        std::min(drawing.size.height(), layout.rulerHeight + layout.contentHeight);
    double labelled = layout.labelWidth;
    for (const TimelinePause& pause : drawing.snapshot.pauses) {
        const double x = layout.labelWidth + drawing.axis.xOf(pause.atNs);
        if (x < layout.labelWidth || x > drawing.size.width()) continue;
        const QRectF mark(x - kPauseWidth / 2, layout.rulerHeight, kPauseWidth,
                          bottom - layout.rulerHeight);
        painter.fillRect(mark, drawing.theme.background);
        painter.fillRect(mark, QBrush(drawing.theme.warning, Qt::BDiagPattern));
        const QString text = pauseText(pause.seconds());
        const double wide = metrics.horizontalAdvance(text) + kSpacing;
        const double left = std::clamp(x - wide / 2, layout.labelWidth,
                                       std::max(layout.labelWidth, drawing.size.width() - wide));
        if (left < labelled) continue;
        labelled = left + wide;
        const QRectF tag(left, 1, wide, layout.rulerHeight - 3);
        painter.fillRect(tag, drawing.theme.panel);
        painter.setPen(drawing.theme.warning);
        painter.drawRect(tag.adjusted(0.5, 0.5, -0.5, -0.5));
        painter.setPen(drawing.theme.text);
        painter.drawText(tag, Qt::AlignCenter, text);
    }
}

}  // namespace

void drawTimeline(QPainter& painter, const TimelineDrawing& drawing) {
    const TimelineLayout& layout = drawing.layout;
    painter.setFont(drawing.font);
    painter.fillRect(QRectF({}, drawing.size), drawing.theme.background);
    drawRuler(painter, drawing);
    painter.save();
    painter.setClipRect(QRectF(0, layout.rulerHeight, drawing.size.width(),
                               drawing.size.height() - layout.rulerHeight));
    TrackPainter tracks(painter, drawing);
    for (const TimelineTrack& track : layout.tracks) {
        const double y = drawing.yOf(track);
        if (y + track.height < layout.rulerHeight) continue;
        if (y > drawing.size.height()) break;
        tracks.draw(track);
        if (track.row == 0) drawLabel(painter, drawing, track);
    }
    painter.restore();
    drawPauses(painter, drawing);
    painter.fillRect(QRectF(0, layout.rulerHeight - 1, drawing.size.width(), 1),
                     drawing.theme.line);
}

void drawLegend(QPainter& painter, const TimelineDrawing& drawing, const QRectF& place) {
    const QFontMetricsF metrics(drawing.font);
    const double side = metrics.ascent();
    double x = place.x();
    painter.setFont(drawing.font);
    for (int i = 0; i < kStageCount; ++i) {
        const auto stage = static_cast<Stage>(i);
        const StageTotal& total = drawing.snapshot.summary.stages[i];
        if (total.spans == 0) continue;
        painter.fillRect(QRectF(x, place.center().y() - side / 2, side, side), stageColour(stage));
        x += side + kSpacing / 2.0;
        const QString text =
            stageTitle(stage) + "  " + QString::fromStdString(formatSpanTime(total.seconds));
        painter.setPen(drawing.theme.text);
        painter.drawText(QRectF(x, place.y(), place.right() - x, place.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        x += metrics.horizontalAdvance(text) + 3 * kSpacing;
    }
}

}  // namespace gantry
