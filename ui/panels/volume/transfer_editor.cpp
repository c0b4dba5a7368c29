#include "ui/panels/volume/transfer_editor.h"

#include <QKeyEvent>
#include <QLinearGradient>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/image/projection_images.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr double kPointReach = 8;
constexpr double kPointRadius = 4;
constexpr double kLineReach = 6;

// The least opacities make the most difference: height is the square root.
double heightOf(double opacity) {
    return std::sqrt(std::clamp(opacity, 0.0, 1.0));
}
double opacityAt(double height) {
    return std::pow(std::clamp(height, 0.0, 1.0), 2);
}

}  // namespace

TransferEditor::TransferEditor(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setAccessibleName(tr("Transfer function"));
    setToolTip(
        tr("How opaque and of which colour each attenuation is. Drag the points; a double click "
           "adds one, or asks for its colour; Delete removes the chosen one. The line is the "
           "isosurface's."));
}

void TransferEditor::setHistogram(const Histogram& histogram, const QString& unit) {
    m_unit = unit;
    m_histogram = histogram;
    showRange();
}

void TransferEditor::setTransfer(const TransferFunction& transfer) {
    if (transfer == m_transfer) return;
    m_transfer = transfer;
    m_chosen = std::min(m_chosen, m_transfer.points.size() - 1);
    showRange();
    emit chosenChanged();
}

// Nothing moves under the pointer: while a point is dragged the axis stays.
void TransferEditor::showRange() {
    if (!m_isDragging) {
        const GreyWindow extent = m_transfer.extent();
        m_range = {std::min(m_histogram.low, extent.black),
                   std::max(m_histogram.high, extent.white)};
        if (!(m_range.width() > 0)) m_range.white = m_range.black + 1;
    }
    update();
}

QRectF TransferEditor::plotArea() const {
    return QRectF(rect()).adjusted(kSpacing, kSpacing, -kSpacing, -3.0 - fontMetrics().height());
}

double TransferEditor::xOf(double value) const {
    const QRectF area = plotArea();
    return area.left() + (value - m_range.black) / m_range.width() * area.width();
}

QPointF TransferEditor::placeOf(const TransferPoint& point) const {
    const QRectF area = plotArea();
    return {xOf(point.value), area.bottom() - heightOf(point.opacity) * area.height()};
}

TransferPoint TransferEditor::pointAt(QPointF place) const {
    const QRectF area = plotArea();
    const double share = (place.x() - area.left()) / std::max(1.0, area.width());
    const double value = m_range.black + std::clamp(share, 0.0, 1.0) * m_range.width();
    const double height = (area.bottom() - place.y()) / std::max(1.0, area.height());
    return {value, opacityAt(height), m_transfer.at(value).colour};
}

std::optional<std::size_t> TransferEditor::hit(QPointF place) const {
    std::optional<std::size_t> nearest;
    double min = kPointReach;
    for (std::size_t i = 0; i < m_transfer.points.size(); ++i) {
        const QPointF way = placeOf(m_transfer.points[i]) - place;
        const double distance = std::hypot(way.x(), way.y());
        if (distance > min) continue;
        min = distance;
        nearest = i;
    }
    return nearest;
}

bool TransferEditor::isAtLevel(QPointF place) const {
    return m_level && std::abs(xOf(*m_level) - place.x()) <= kLineReach;
}

void TransferEditor::setLevel(std::optional<double> level) {
    if (level == m_level) return;
    m_level = level;
    m_isLevelChosen = m_isLevelChosen && level;
    update();
}

void TransferEditor::moveLevel(double level, bool isFinal) {
    m_level = std::clamp(level, m_histogram.low, m_histogram.high);
    update();
    emit levelEdited(*m_level, isFinal);
}

// The line comes after the last point.
void TransferEditor::chooseNext(int direction) {
    const auto points = static_cast<int>(m_transfer.points.size());
    const int all = points + (m_level ? 1 : 0);
    const int now = m_isLevelChosen ? points : static_cast<int>(m_chosen);
    const int next = (now + direction + all) % all;
    if (next < points) return choose(static_cast<std::size_t>(next));
    m_isLevelChosen = true;
    update();
}

void TransferEditor::choose(std::size_t index) {
    if (index == m_chosen && !m_isLevelChosen) return;
    m_isLevelChosen = false;
    m_chosen = index;
    emit chosenChanged();
    update();
}

void TransferEditor::changeChosen(const TransferPoint& point, bool isFinal) {
    std::vector<TransferPoint>& points = m_transfer.points;
    TransferPoint& changed = points[m_chosen];
    changed = point;
    changed.opacity = std::clamp(point.opacity, 0.0, 1.0);
    if (m_chosen > 0)
        changed.value = std::max(changed.value, points[m_chosen - 1].value + minApart());
    if (m_chosen + 1 < points.size())
        changed.value = std::min(changed.value, points[m_chosen + 1].value - minApart());
    showRange();
    emit chosenChanged();
    emit edited(m_transfer, isFinal);
}

void TransferEditor::add(const TransferPoint& point) {
    std::vector<TransferPoint>& points = m_transfer.points;
    const auto at = std::ranges::find_if(
        points, [&](const TransferPoint& other) { return other.value > point.value; });
    m_chosen = static_cast<std::size_t>(at - points.begin());
    points.insert(at, point);
    changeChosen(point, true);
}

void TransferEditor::removeChosen() {
    // One point alone is no function.
    if (m_transfer.points.size() <= 2) return;
    m_transfer.points.erase(m_transfer.points.begin() + static_cast<std::ptrdiff_t>(m_chosen));
    m_chosen = std::min(m_chosen, m_transfer.points.size() - 1);
    showRange();
    emit chosenChanged();
    emit edited(m_transfer, true);
}

void TransferEditor::moveChosen(QPointF pixels) {
    TransferPoint point = m_transfer.points[m_chosen];
    const QRectF area = plotArea();
    point.value += pixels.x() / std::max(1.0, area.width()) * m_range.width();
    point.opacity = opacityAt(heightOf(point.opacity) - pixels.y() / std::max(1.0, area.height()));
    changeChosen(point, true);
}

void TransferEditor::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const auto under = hit(event->position())) {
        choose(*under);
    } else if (isAtLevel(event->position())) {
        m_isLevelChosen = true;
        update();
    } else {
        return;
    }
    m_isDragging = true;
    m_hasMoved = false;
}

void TransferEditor::mouseMoveEvent(QMouseEvent* event) {
    if (!m_isDragging) {
        const bool isOver = !hit(event->position()) && isAtLevel(event->position());
        setCursor(isOver ? Qt::SizeHorCursor : Qt::ArrowCursor);
        return;
    }
    m_hasMoved = true;
    TransferPoint point = pointAt(event->position());
    if (m_isLevelChosen) return moveLevel(point.value, false);
    point.colour = m_transfer.points[m_chosen].colour;
    changeChosen(point, false);
}

void TransferEditor::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_isDragging) return;
    m_isDragging = false;
    showRange();
    if (!m_hasMoved) return;
    if (m_isLevelChosen)
        moveLevel(*m_level, true);
    else
        emit edited(m_transfer, true);
}

void TransferEditor::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_isDragging = false;
    if (const auto under = hit(event->position())) {
        choose(*under);
        emit colourRequested();
    } else {
        add(pointAt(event->position()));
    }
}

void TransferEditor::keyPressEvent(QKeyEvent* event) {
    constexpr double kPixels = 4;
    const double step = event->modifiers() & Qt::ControlModifier ? kPixels / 10 : kPixels;
    const std::size_t last = m_transfer.points.size() - 1;
    if (m_isLevelChosen) {
        const double toRight = (event->key() == Qt::Key_Right) - (event->key() == Qt::Key_Left);
        const double perPixel = m_range.width() / std::max(1.0, plotArea().width());
        if (toRight != 0) return moveLevel(*m_level + toRight * step * perPixel, true);
        // What is left is of points.
        if (event->key() != Qt::Key_PageUp && event->key() != Qt::Key_PageDown)
            return QWidget::keyPressEvent(event);
    }
    switch (event->key()) {
        case Qt::Key_Left:
            return moveChosen({-step, 0});
        case Qt::Key_Right:
            return moveChosen({step, 0});
        case Qt::Key_Up:
            return moveChosen({0, -step});
        case Qt::Key_Down:
            return moveChosen({0, step});
        case Qt::Key_PageUp:
            return chooseNext(-1);
        case Qt::Key_PageDown:
            return chooseNext(1);
        case Qt::Key_Insert: {
            const std::size_t left = m_chosen < last ? m_chosen : last - 1;
            const auto& points = m_transfer.points;
            return add(m_transfer.at((points[left].value + points[left + 1].value) / 2));
        }
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            return removeChosen();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit colourRequested();
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

// With its value, beside the line where there is the room.
void TransferEditor::paintLevel(QPainter& painter, const QRectF& area) const {
    if (!m_level) return;
    const Theme theme = themeOf(*this);
    const double x = std::clamp(xOf(*m_level), area.left(), area.right());
    painter.setPen(QPen(theme.background, m_isLevelChosen ? 5.5 : 3.5));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setPen(QPen(m_isLevelChosen ? theme.accent : theme.warning, m_isLevelChosen ? 3 : 1.5));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    const QString text = valueText(*m_level, m_unit);
    QRectF label = painter.boundingRect(QRectF(), Qt::AlignLeft, text).adjusted(-4, -1, 4, 1);
    label.moveTop(area.top() + 2);
    label.moveLeft(x + 4 + label.width() <= area.right() ? x + 4 : x - 4 - label.width());
    QColor ground = theme.background;
    ground.setAlphaF(0.8F);
    painter.fillRect(label, ground);
    painter.setPen(theme.text);
    painter.drawText(label, Qt::AlignCenter, text);
}

void TransferEditor::paintCurve(QPainter& painter, const QRectF& area) const {
    const Theme theme = themeOf(*this);
    QPainterPath curve(QPointF(area.left(), area.bottom()));
    QLinearGradient colours(area.topLeft(), area.topRight());
    const int steps = std::max(2, static_cast<int>(area.width()));
    for (int i = 0; i <= steps; ++i) {
        const double share = static_cast<double>(i) / steps;
        const TransferPoint point = m_transfer.at(m_range.black + share * m_range.width());
        curve.lineTo(placeOf(point));
        if (i % 4 == 0) colours.setColorAt(share, QColor(point.colour));
    }
    curve.lineTo(area.bottomRight());
    painter.setOpacity(0.6);
    painter.fillPath(curve, colours);
    painter.setOpacity(1);
    painter.setPen(QPen(theme.text, 1.25));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(curve);
    for (std::size_t i = 0; i < m_transfer.points.size(); ++i) {
        const bool isChosen = i == m_chosen && !m_isLevelChosen;
        painter.setPen(QPen(isChosen ? theme.accent : theme.text, isChosen ? 2.5 : 1.25));
        painter.setBrush(QColor(m_transfer.points[i].colour));
        const double radius = isChosen ? kPointRadius + 1 : kPointRadius;
        painter.drawEllipse(placeOf(m_transfer.points[i]), radius, radius);
    }
}

void TransferEditor::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(tabular(font()));
    const Theme theme = themeOf(*this);
    const QRectF area = plotArea();
    painter.fillRect(area, theme.background);
    QColor bins = theme.muted;
    bins.setAlphaF(0.45F);
    painter.fillPath(
        histogramOutline(m_histogram, area, [this](double value) { return xOf(value); }), bins);
    paintCurve(painter, area);
    paintLevel(painter, area);
    painter.setPen(theme.muted);
    paintScaleNumbers(painter,
                      {area.left(), area.bottom() + 3, area.width(),
                       static_cast<double>(painter.fontMetrics().height())},
                      m_range, m_unit);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(hasFocus() ? theme.accent : theme.line);
    painter.drawRect(area.toAlignedRect());
}

}  // namespace gantry
