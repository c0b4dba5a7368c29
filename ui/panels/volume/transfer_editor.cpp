#include "ui/panels/volume/transfer_editor.h"

#include <QKeyEvent>
#include <QLinearGradient>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/widgets/histogram_outline.h"
#include "ui/widgets/scale_numbers.h"
#include "ui/widgets/theme.h"

namespace gantry {

namespace {

constexpr double kPointReach = 8;
constexpr double kPointRadius = 4;

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
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setAccessibleName(tr("Transfer function"));
    setToolTip(
        tr("How opaque and of which colour each attenuation is. Drag the points; a double click "
           "adds one, or asks for its colour; Delete removes the chosen one."));
}

void TransferEditor::setHistogram(const Histogram& histogram) {
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
    double least = kPointReach;
    for (std::size_t i = 0; i < m_transfer.points.size(); ++i) {
        const QPointF way = placeOf(m_transfer.points[i]) - place;
        const double distance = std::hypot(way.x(), way.y());
        if (distance > least) continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}

void TransferEditor::choose(std::size_t index) {
    if (index == m_chosen) return;
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
        changed.value = std::max(changed.value, points[m_chosen - 1].value + leastApart());
    if (m_chosen + 1 < points.size())
        changed.value = std::min(changed.value, points[m_chosen + 1].value - leastApart());
    showRange();
    emit chosenChanged();
    emit edited(m_transfer, isFinal);
}

void TransferEditor::add(const TransferPoint& point) {
    std::vector<TransferPoint>& points = m_transfer.points;
    const auto at = std::find_if(points.begin(), points.end(), [&](const TransferPoint& other) {
        return other.value > point.value;
    });
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
    const auto under = hit(event->position());
    if (event->button() != Qt::LeftButton || !under) return;
    choose(*under);
    m_isDragging = true;
    m_hasMoved = false;
}

void TransferEditor::mouseMoveEvent(QMouseEvent* event) {
    if (!m_isDragging) return;
    TransferPoint point = pointAt(event->position());
    point.colour = m_transfer.points[m_chosen].colour;
    m_hasMoved = true;
    changeChosen(point, false);
}

void TransferEditor::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_isDragging) return;
    m_isDragging = false;
    showRange();
    if (m_hasMoved) emit edited(m_transfer, true);
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
            return choose(m_chosen > 0 ? m_chosen - 1 : last);
        case Qt::Key_PageDown:
            return choose(m_chosen < last ? m_chosen + 1 : 0);
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
        const bool isChosen = i == m_chosen;
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
    painter.setPen(theme.muted);
    paintScaleNumbers(painter,
                      {area.left(), area.bottom() + 3, area.width(),
                       static_cast<double>(painter.fontMetrics().height())},
                      m_range, QStringLiteral("/mm"));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(hasFocus() ? theme.accent : theme.line);
    painter.drawRect(area.toAlignedRect());
}

}  // namespace gantry
