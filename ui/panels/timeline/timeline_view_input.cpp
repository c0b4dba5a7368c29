// What the mouse and the keyboard do to a TimelineView.
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <cmath>

#include "ui/panels/timeline/timeline_view.h"

namespace gantry {

namespace {

constexpr double kStepsPerDegree = 1.0 / 120;  // of a wheel, in Qt's eighths of a degree
constexpr double kZoomPerStep = 1.25;
constexpr double kZoomPerKey = 1.5;
constexpr double kPanPerKey = 0.1;  // of the width
constexpr double kPanPerStep = 60;  // pixels

}  // namespace

void TimelineView::resizeEvent(QResizeEvent*) {
    arrange();
}

void TimelineView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange)
        arrange();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    const bool left = event->button() == Qt::LeftButton;
    if (!m_snapshot || (!left && event->button() != Qt::MiddleButton)) return;
    const bool isSelecting = left && event->modifiers().testFlag(Qt::ShiftModifier);
    m_drag = Drag{isSelecting ? Drag::Kind::select : Drag::Kind::pan, event->position(),
                  event->position()};
    if (isSelecting) clearSelection();
    point(event->position());
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (m_drag) {
        constexpr double kSlack = 3;  // a hand is not quiet when it clicks
        m_drag->moved = m_drag->moved || (at - m_drag->from).manhattanLength() >= kSlack;
        if (m_drag->moved && m_drag->kind == Drag::Kind::pan) {
            setCursor(Qt::ClosedHandCursor);
            m_pointer = at;
            m_scroll->setValue(m_scroll->value() -
                               static_cast<int>(std::lround(at.y() - m_drag->last.y())));
            panBy(at.x() - m_drag->last.x());
        } else if (m_drag->moved) {
            select(m_drag->from.x(), at.x());
        }
        if (m_drag->moved) m_drag->last = at;
    }
    point(at);
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_drag) return;
    const bool wasClick = !m_drag->moved;
    m_drag.reset();
    unsetCursor();
    if (wasClick) clearSelection();
    point(rect().contains(event->position().toPoint()) ? std::optional(event->position())
                                                       : std::nullopt);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) fit();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    event->accept();
    const QPoint turn = event->angleDelta();
    m_pointer = event->position();
    const double steps = turn.y() * kStepsPerDegree;
    const double sideways = turn.x() * kStepsPerDegree;
    if (event->modifiers().testFlag(Qt::ShiftModifier))
        panBy(kPanPerStep * (steps + sideways));
    else if (turn.y() != 0)
        zoomBy(std::pow(kZoomPerStep, steps), event->position().x());
    else
        panBy(kPanPerStep * sideways);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const double middle = m_layout.labelWidth + plotWidth() / 2;
    const double zoomX = m_pointer ? m_pointer->x() : middle;
    const double run = m_snapshot ? static_cast<double>(m_snapshot->run().lengthNs()) : 0;
    switch (event->key()) {
        case Qt::Key_Left:
            return panBy(kPanPerKey * plotWidth());
        case Qt::Key_Right:
            return panBy(-kPanPerKey * plotWidth());
        case Qt::Key_Up:
            return m_scroll->triggerAction(QScrollBar::SliderSingleStepSub);
        case Qt::Key_Down:
            return m_scroll->triggerAction(QScrollBar::SliderSingleStepAdd);
        case Qt::Key_PageUp:
            return m_scroll->triggerAction(QScrollBar::SliderPageStepSub);
        case Qt::Key_PageDown:
            return m_scroll->triggerAction(QScrollBar::SliderPageStepAdd);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomBy(kZoomPerKey, zoomX);
        case Qt::Key_Minus:
            return zoomBy(1 / kZoomPerKey, zoomX);
        case Qt::Key_0:
        case Qt::Key_F:
            return fit();
        case Qt::Key_Home:
            return panBy(run / m_axis.nsPerPixel);
        case Qt::Key_End:
            return panBy(-run / m_axis.nsPerPixel);
        case Qt::Key_Escape:
            if (m_selection) return clearSelection();
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void TimelineView::leaveEvent(QEvent*) {
    if (!m_drag) point({});
}

void TimelineView::hideEvent(QHideEvent*) {
    m_drag.reset();
    point({});
}

}  // namespace gantry
