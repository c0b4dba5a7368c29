#include "ui/panels/timeline/timeline_view.h"

#include <QGuiApplication>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "ui/widgets/style/theme.h"

namespace gantry {

TimelineTip::TimelineTip(QWidget* owner)
    : QLabel(owner, Qt::ToolTip | Qt::FramelessWindowHint | Qt::WindowTransparentForInput) {
    setObjectName("timelineTip");
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setTextFormat(Qt::RichText);
    setFocusPolicy(Qt::NoFocus);
    setFrameStyle(QFrame::Box | QFrame::Plain);
    setMargin(kSpacing);
    setAutoFillBackground(true);
}

void TimelineTip::tell(const QString& richText, QPoint at) {
    if (richText.isEmpty()) {
        hide();
        return;
    }
    const Theme theme = themeOf(*parentWidget());
    QPalette colours = palette();
    colours.setColor(QPalette::Window, theme.panel);
    colours.setColor(QPalette::WindowText, theme.line);  // the frame
    setPalette(colours);
    setText(QString("<span style='color:%1'>%2</span>").arg(theme.text.name(), richText));
    adjustSize();
    const QRect screen = parentWidget()->screen()->availableGeometry();
    constexpr int kBeside = 2 * kSpacing;
    QPoint place = at + QPoint(kBeside, kBeside);
    if (place.x() + width() > screen.right()) place.setX(at.x() - kBeside - width());
    if (place.y() + height() > screen.bottom()) place.setY(at.y() - kBeside - height());
    move(std::max(place.x(), screen.left()), std::max(place.y(), screen.top()));
    show();
}

namespace {

QColor faint(QColor colour, float alpha) {
    colour.setAlphaF(alpha);
    return colour;
}

QString rangeText(const TimeRange& range) {
    return QString::fromStdString(formatSpanTime(1e-9 * static_cast<double>(range.lengthNs())));
}

}  // namespace

TimelineView::TimelineView(QWidget* parent)
    : QWidget(parent), m_scroll(new QScrollBar(Qt::Vertical, this)), m_tip(new TimelineTip(this)) {
    setObjectName("timelineView");
    setAccessibleName(tr("Timeline of the job"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setCursor(Qt::ArrowCursor);
    m_scroll->hide();
    connect(m_scroll, &QScrollBar::valueChanged, this, &TimelineView::redraw);
}

void TimelineView::setSnapshot(std::shared_ptr<const TimelineSnapshot> snapshot) {
    const bool isSame = m_snapshot && snapshot && m_snapshot->folder == snapshot->folder &&
                        m_snapshot->generation == snapshot->generation;
    m_snapshot = std::move(snapshot);
    if (!isSame) {
        m_isFitted = true;
        m_drag.reset();
        m_scroll->setValue(0);
        clearSelection();
        setFollowing(true);
    }
    arrange();
    point(m_pointer);
}

double TimelineView::plotWidth() const {
    const int bar = m_scroll->isVisibleTo(this) ? m_scroll->width() : 0;
    return std::max(width() - bar - m_layout.labelWidth, 1.0);
}

// Computes the layout anew and keeps the visible range, unless that is the whole or the end.
void TimelineView::arrange() {
    if (m_snapshot) {
        m_layout = TimelineLayout::of(*m_snapshot, QFontMetricsF(font()), size());
        const int hidden =
            static_cast<int>(std::ceil(m_layout.contentHeight + m_layout.rulerHeight - height()));
        m_scroll->setVisible(hidden > 0);
        m_scroll->setRange(0, std::max(hidden, 0));
        m_scroll->setPageStep(height());
        const int wide = m_scroll->sizeHint().width();
        const int top = static_cast<int>(m_layout.rulerHeight);
        m_scroll->setGeometry(width() - wide, top, wide, std::max(height() - top, 0));
        TimeAxis axis = m_axis;
        if (m_isFitted && !m_drag) {
            axis = TimeAxis::fitted(m_snapshot->run(), plotWidth());
        } else if (m_isFollowing && isLive() && !m_drag) {
            axis.beginNs += m_snapshot->run().endNs - axis.range(plotWidth()).endNs;
        }
        m_axis = axis.limited(m_snapshot->run(), plotWidth());
    }
    redraw();
}

void TimelineView::redraw() {
    m_isDrawn = false;
    update();
}

void TimelineView::setAxis(const TimeAxis& axis, bool byUser) {
    if (!m_snapshot) return;
    const TimeRange run = m_snapshot->run();
    m_axis = axis.limited(run, plotWidth());
    m_isFitted = m_axis == TimeAxis::fitted(run, plotWidth());
    const bool seesEnd = m_axis.xOf(run.endNs) <= plotWidth() + 1;
    if (byUser && !seesEnd) setFollowing(false);
    redraw();
    point(m_pointer);
}

void TimelineView::showRange(const TimeRange& range) {
    // With a little room around it.
    const std::int64_t margin = std::max<std::int64_t>(range.lengthNs() / 4, 500);
    setAxis(TimeAxis::fitted({range.beginNs - margin, range.endNs + margin}, plotWidth()), true);
}

void TimelineView::zoomBy(double factor, double x) {
    setAxis(m_axis.zoomed(factor, std::clamp(plotX(x), 0.0, plotWidth())), true);
}

void TimelineView::setFollowing(bool following) {
    if (following == m_isFollowing) return;
    m_isFollowing = following;
    emit followingChanged(following);
    if (following) arrange();
}

void TimelineView::clearSelection() {
    if (!m_selection) return;
    m_selection.reset();
    update();
    emit selectionChanged();
}

void TimelineView::select(double fromX, double toX) {
    const TimeRange run = m_snapshot->run();
    const auto [low, high] = std::minmax(fromX, toX);
    TimeRange range{std::max(m_axis.nsAt(plotX(low)), run.beginNs),
                    std::min(m_axis.nsAt(plotX(high)), run.endNs)};
    if (range.lengthNs() <= 0) return;
    m_selection = range;
    update();
    emit selectionChanged();
}

QPointF TimelineView::pointOf(std::size_t lane, std::int64_t ns) const {
    for (const TimelineTrack& track : m_layout.tracks)
        if (track.lane == lane)
            return {m_layout.labelWidth + m_axis.xOf(ns),
                    m_layout.rulerHeight + track.y + track.height / 2 - m_scroll->value()};
    return {};
}

void TimelineView::point(std::optional<QPointF> at) {
    m_pointer = at;
    m_hit = {};
    if (at && m_snapshot && !m_snapshot->store.empty() && plotX(at->x()) >= 0) {
        const double y = at->y() - m_layout.rulerHeight;
        const TimelineTrack* track = y >= 0 ? m_layout.trackAt(y + m_scroll->value()) : nullptr;
        if (track) {
            m_hit = hitAt(*m_snapshot, track->lane, track->row, m_axis, plotX(at->x()));
            m_hitTrack = static_cast<std::size_t>(track - m_layout.tracks.data());
        }
        const auto pixelNs = static_cast<std::int64_t>(100 * m_axis.nsPerPixel);
        emit pointed(momentText(m_axis.nsAt(plotX(at->x())), pixelNs));
    } else {
        emit pointed({});
    }
    const bool isQuiet = m_drag || !isVisible() || !at;
    m_tip->tell(isQuiet || m_hit.isNothing() ? QString() : describe(*m_snapshot, m_hit),
                at ? mapToGlobal(at->toPoint()) : QPoint());
    update();
}

QImage TimelineView::picture(const QString& title) const {
    constexpr int kMinWidth = 1200;
    constexpr double kRatio = 2;
    TimelineDrawing drawing{*m_snapshot, m_layout, m_axis, themeOf(*this), font(), {}, 0};
    const double wide = std::max(width(), kMinWidth);
    drawing.size = {wide, m_layout.rulerHeight + m_layout.contentHeight + kSpacing};
    drawing.axis.nsPerPixel *= plotWidth() / drawing.plotWidth();
    const double line = QFontMetricsF(font()).height() + 2 * kSpacing;
    // More lanes than a picture can have rows are cut off.
    constexpr double kTallest = 12'000;
    drawing.size.setHeight(std::min(drawing.size.height(), kTallest));
    const QSizeF all(wide, drawing.size.height() + 2 * line);
    QImage image((all * kRatio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(kRatio);
    image.fill(drawing.theme.background);
    QPainter painter(&image);
    painter.setFont(drawing.font);
    painter.setPen(drawing.theme.text);
    painter.drawText(QRectF(kSpacing, 0, wide, line), Qt::AlignLeft | Qt::AlignVCenter, title);
    drawLegend(painter, drawing, QRectF(kSpacing, line + drawing.size.height(), wide, line));
    painter.translate(0, line);
    drawTimeline(painter, drawing);
    return image;
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme theme = themeOf(*this);
    if (!m_snapshot || m_snapshot->store.empty()) {
        painter.fillRect(rect(), theme.background);
        return;
    }
    const double ratio = devicePixelRatioF();
    if (!m_isDrawn) {
        const QSize pixels = (QSizeF(size()) * ratio).toSize();
        if (m_drawn.size() != pixels) m_drawn = QImage(pixels, QImage::Format_RGB32);
        m_drawn.setDevicePixelRatio(ratio);
        QPainter onto(&m_drawn);
        drawTimeline(onto, {*m_snapshot, m_layout, m_axis, theme, font(), size(),
                            static_cast<double>(m_scroll->value())});
        m_isDrawn = true;
    }
    painter.drawImage(0, 0, m_drawn);
    drawOverlay(painter);
}

void TimelineView::drawOverlay(QPainter& painter) const {
    painter.save();
    painter.setClipRect(QRectF(m_layout.labelWidth, 0, plotWidth(), height()));
    drawSelection(painter);
    drawHit(painter);
    drawPointer(painter);
    painter.restore();
    if (hasFocus())
        painter.fillRect(QRectF(0, m_layout.rulerHeight - 1, width(), 1), themeOf(*this).accent);
}

void TimelineView::drawSelection(QPainter& painter) const {
    if (!m_selection) return;
    const Theme theme = themeOf(*this);
    const double x = m_layout.labelWidth + m_axis.xOf(m_selection->beginNs);
    const QRectF band(x, 0, m_layout.labelWidth + m_axis.xOf(m_selection->endNs) - x, height());
    painter.fillRect(band, faint(theme.accent, 0.16F));
    painter.fillRect(QRectF(band.left(), 0, 1, height()), theme.accent);
    painter.fillRect(QRectF(band.right() - 1, 0, 1, height()), theme.accent);
    const QString text = rangeText(*m_selection);
    const double wide = QFontMetricsF(font()).horizontalAdvance(text) + 2 * kSpacing;
    const QRectF tag(band.center().x() - wide / 2, 2, wide, m_layout.rulerHeight - 4);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(tag, 3, 3);
    painter.setPen(theme.onAccent);
    painter.drawText(tag, Qt::AlignCenter, text);
}

void TimelineView::drawHit(QPainter& painter) const {
    if ((!m_hit.span && !m_hit.gap) || m_drag || m_hitTrack >= m_layout.tracks.size()) return;
    const Theme theme = themeOf(*this);
    const TimelineTrack& track = m_layout.tracks[m_hitTrack];
    const std::int64_t begin = m_hit.span ? m_hit.span->beginNs : m_hit.gap->beginNs;
    const std::int64_t end = m_hit.span ? m_hit.span->endNs : m_hit.gap->endNs;
    // Clipped far outside of the view: coordinates of a long span at a deep zoom overflow.
    const double left = std::max(m_axis.xOf(begin), -2.0) + m_layout.labelWidth;
    const double right = std::min(m_axis.xOf(end), plotWidth() + 2) + m_layout.labelWidth;
    const QRectF box(left, m_layout.rulerHeight + track.y - m_scroll->value(),
                     std::max(right - left, 1.0), track.height);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.text, 1, m_hit.span ? Qt::SolidLine : Qt::DashLine));
    painter.setClipRect(QRectF(m_layout.labelWidth, m_layout.rulerHeight, plotWidth(), height()));
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setClipRect(QRectF(m_layout.labelWidth, 0, plotWidth(), height()));
}

void TimelineView::drawPointer(QPainter& painter) const {
    if (!m_pointer || plotX(m_pointer->x()) < 0) return;
    const Theme theme = themeOf(*this);
    const double x = std::floor(m_pointer->x());
    painter.fillRect(QRectF(x, m_layout.rulerHeight, 1, height()), faint(theme.text, 0.35F));
    // There stands how long the pause was.
    if (m_hit.pause) return;
    const auto digits = static_cast<std::int64_t>(100 * m_axis.nsPerPixel);
    const QString text = momentText(m_axis.nsAt(plotX(x)), digits);
    const double wide = QFontMetricsF(font()).horizontalAdvance(text) + kSpacing;
    const double right = m_layout.labelWidth + plotWidth();
    const QRectF tag(std::min(x, right - wide), 2, wide, m_layout.rulerHeight - 4);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(tag, 3, 3);
    painter.setPen(theme.text);
    painter.drawText(tag, Qt::AlignCenter, text);
}

}  // namespace gantry
