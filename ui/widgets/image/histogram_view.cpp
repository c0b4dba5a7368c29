#include "ui/widgets/image/histogram_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/axis_ticks.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

void paintScaleNumbers(QPainter& painter, const QRectF& line, const GreyWindow& range,
                       const QString& unit) {
    constexpr int kPixelsATick = 70;
    const QFontMetrics metrics = painter.fontMetrics();
    painter.drawText(line, Qt::AlignRight, unit);
    const double unitLeft = line.right() - metrics.horizontalAdvance(unit) - kSpacing;
    const auto ticks = niceTicks(range.black, range.white,
                                 std::max(2, static_cast<int>(line.width()) / kPixelsATick));
    for (const double tick : ticks) {
        const QString text = tickText(tick, ticks);
        const double half = metrics.horizontalAdvance(text) / 2.0 + 1;
        const double share = (tick - range.black) / range.width();
        // The outermost ones may extend into the margin.
        const double x =
            std::clamp(line.left() + share * line.width(), line.left() - kSpacing + half,
                       std::max(line.left() - kSpacing + half, line.right() + kSpacing - half));
        if (unit.isEmpty() || x + half < unitLeft)
            painter.drawText(QRectF(x - half, line.top(), 2 * half, line.height()),
                             Qt::AlignHCenter, text);
    }
}

namespace {

// The count that is drawn at full height. The peak of the air around the object would flatten
// everything else, so the few highest bins may be cut off.
Index shownCount(const Histogram& histogram) {
    std::vector<Index> counts;
    for (const Index count : histogram.bins) {
        if (count > 0) counts.push_back(count);
    }
    if (counts.empty()) return 0;
    const auto max = *std::ranges::max_element(counts);
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

namespace {

constexpr double kReach = 6;
constexpr double kBarHeight = 8;

}  // namespace

HistogramView::HistogramView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setAccessibleName(tr("Histogram and window"));
    setToolTip(
        tr("Drag the lines to set what is shown black and white, or between them to move "
           "both. Double click: automatic."));
}

void HistogramView::setHistogram(const Histogram& histogram, const QString& unit) {
    m_histogram = histogram;
    m_unit = unit;
    showWholeRange();
    update();
}

void HistogramView::setWindow(const GreyWindow& window) {
    if (window == m_window) return;
    m_window = window;
    showWholeRange();
    setAccessibleDescription(tr("Black at %1, white at %2 %3")
                                 .arg(window.black, 0, 'g', 4)
                                 .arg(window.white, 0, 'g', 4)
                                 .arg(m_unit));
    update();
}

// The axis does not change while a line is dragged, so that nothing moves under the pointer.
void HistogramView::showWholeRange() {
    if (m_grip != Grip::none) return;
    m_low = m_histogram.low;
    m_high = m_histogram.high;
    for (const double end : {m_window.black, m_window.white}) {
        if (!std::isfinite(end)) continue;
        m_low = std::min(m_low, end);
        m_high = std::max(m_high, end);
    }
    if (!(m_high > m_low)) m_high = m_low + 1;
}

QRectF HistogramView::plotArea() const {
    const double below = kBarHeight + 3 + fontMetrics().height();
    return QRectF(rect()).adjusted(kSpacing, 4, -kSpacing, -below);
}

double HistogramView::valueAt(double x) const {
    const QRectF area = plotArea();
    return m_low + (x - area.left()) / std::max(1.0, area.width()) * (m_high - m_low);
}

double HistogramView::xOf(double value) const {
    const QRectF area = plotArea();
    const double x = area.left() + (value - m_low) / (m_high - m_low) * area.width();
    return std::isfinite(x) ? std::clamp(x, area.left(), area.right()) : area.left();
}

HistogramView::Grip HistogramView::gripAt(double x) const {
    const double black = xOf(m_window.black);
    const double white = xOf(m_window.white);
    const double toBlack = std::abs(x - black);
    const double toWhite = std::abs(x - white);
    if (std::min(toBlack, toWhite) <= kReach) {
        // If both lines coincide, each is grasped from its own side.
        if (toBlack == toWhite) return x < black ? Grip::black : Grip::white;
        return toBlack < toWhite ? Grip::black : Grip::white;
    }
    return x > black && x < white ? Grip::both : Grip::none;
}

void HistogramView::edit(const GreyWindow& window) {
    setWindow(window);
    emit windowEdited(m_window);
}

void HistogramView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_gripX = event->position().x();
    m_gripWindow = m_window;
    m_grip = gripAt(m_gripX);
}

void HistogramView::mouseMoveEvent(QMouseEvent* event) {
    const double x = event->position().x();
    if (m_grip == Grip::none) {
        const Grip under = gripAt(x);
        setCursor(under == Grip::none   ? Qt::ArrowCursor
                  : under == Grip::both ? Qt::SizeAllCursor
                                        : Qt::SizeHorCursor);
        return;
    }
    const double moved = valueAt(x) - valueAt(m_gripX);
    const double min = (m_high - m_low) * 1e-3;
    GreyWindow window = m_gripWindow;
    if (m_grip != Grip::white) window.black += moved;
    if (m_grip != Grip::black) window.white += moved;
    if (m_grip == Grip::black) window.black = std::min(window.black, window.white - min);
    if (m_grip == Grip::white) window.white = std::max(window.white, window.black + min);
    edit(window);
}

void HistogramView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_grip = Grip::none;
    showWholeRange();
    update();
}

void HistogramView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) emit automaticRequested();
}

void HistogramView::keyPressEvent(QKeyEvent* event) {
    constexpr double kStep = 10;  // pixels of a drag that equal a key press
    switch (event->key()) {
        case Qt::Key_Left:
            edit(draggedWindow(m_window, 0, kStep));
            break;
        case Qt::Key_Right:
            edit(draggedWindow(m_window, 0, -kStep));
            break;
        case Qt::Key_Up:
            edit(draggedWindow(m_window, kStep, 0));
            break;
        case Qt::Key_Down:
            edit(draggedWindow(m_window, -kStep, 0));
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit automaticRequested();
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

void HistogramView::paintBins(QPainter& painter, const QRectF& area) const {
    const Theme theme = themeOf(*this);
    QColor fill = theme.muted;
    fill.setAlphaF(0.55F);
    painter.fillPath(
        histogramOutline(m_histogram, area, [this](double value) { return xOf(value); }), fill);
}

void HistogramView::paintScale(QPainter& painter, const QRectF& area) const {
    const Theme theme = themeOf(*this);
    const QRectF bar(area.left(), area.bottom() + 1, area.width(), kBarHeight);
    QLinearGradient greys(xOf(m_window.black), 0,
                          std::max(xOf(m_window.white), xOf(m_window.black) + 1), 0);
    greys.setColorAt(0, Qt::black);
    greys.setColorAt(1, Qt::white);
    painter.fillRect(bar, greys);
    painter.setPen(theme.line);
    painter.drawRect(bar);

    painter.setPen(theme.muted);
    paintScaleNumbers(painter,
                      {area.left(), bar.bottom() + 2, area.width(),
                       static_cast<double>(painter.fontMetrics().height())},
                      {m_low, m_high}, m_unit);
}

void HistogramView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(tabular(font()));
    const Theme theme = themeOf(*this);
    const QRectF area = plotArea();
    painter.fillRect(area, theme.background);
    const double black = xOf(m_window.black);
    const double white = xOf(m_window.white);
    QColor shown = theme.accent;
    shown.setAlphaF(0.12F);
    painter.fillRect(QRectF(QPointF(black, area.top()), QPointF(white, area.bottom())), shown);
    paintBins(painter, area);
    paintScale(painter, area);
    for (const double x : {black, white}) {
        painter.setPen(QPen(theme.accent, 1.5));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom() + kBarHeight));
        painter.setBrush(theme.accent);
        painter.drawEllipse(QPointF(x, area.top() + 4), 3, 3);
    }
    if (m_histogram.notFinite > 0) {
        painter.setPen(theme.warning);
        painter.drawText(area.adjusted(kSpacing, 2, -kSpacing, 0), Qt::AlignRight | Qt::AlignTop,
                         tr("with values that are not numbers"));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(hasFocus() ? theme.accent : theme.line);
    painter.drawRect(area.toAlignedRect());
}

}  // namespace gantry
