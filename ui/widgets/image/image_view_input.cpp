// Mouse and key input of ImageView.
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/widgets/image/caption.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

constexpr double kHandleReach = 6;  // of a handle, logical pixels
constexpr double kZoomStep = 1.25;

}  // namespace

bool ImageView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !m_image.isEmpty() &&
        tellWholeCaption(*static_cast<QHelpEvent*>(event), *this, QFontMetrics(tabular(font())),
                         captionPlace(), m_caption))
        return true;
    return QWidget::event(event);
}

RegionHandle ImageView::handleUnder(QPointF at) const {
    if (!m_region || m_image.isEmpty()) return {};
    const RegionHandle handle = handleAt(regionInView(), at, kHandleReach);
    // Its inside moves the cross-hair if there is one, or else the slices could not be explored;
    // the region is then moved by its middle.
    if (handle.isInside && m_crosshair) {
        const QPointF off = at - regionInView().center();
        if (std::max(std::abs(off.x()), std::abs(off.y())) > kHandleReach) return {};
    }
    return handle;
}

void ImageView::showCursor(QPointF at) {
    if (m_image.isEmpty()) {
        unsetCursor();
    } else if (const RegionHandle handle = handleUnder(at); !handle.isNone()) {
        setCursor(cursorOf(handle));
    } else if (m_rowLine && !m_crosshair) {
        setCursor(Qt::SizeVerCursor);
    } else {
        setCursor(Qt::CrossCursor);
    }
}

void ImageView::tellHovered(QPointF at) {
    if (m_image.isEmpty()) return;
    const QPointF pixel = m_placement.pixelAt(m_image, at);
    emit hovered(pixel, valueAtPixel(pixel));
}

void ImageView::moveCrosshair(QPointF pixel) {
    pixel = inImage(pixel);
    if (m_crosshair) m_crosshair = pixel;
    update();
    emit crosshairMoved(pixel);
}

void ImageView::moveRowLine(double row) {
    row = inImage({0, row}).y();
    m_rowLine = row;
    update();
    emit rowLineMoved(row);
}

void ImageView::editRegion(const RegionHandle& handle, QPointF distanceInView, bool isFinal) {
    const double direction = m_image.firstRowIsBottom ? -1 : 1;
    const QPointF distance(
        distanceInView.x() / m_placement.zoom,
        direction * distanceInView.y() / (m_placement.zoom * m_image.pixelAspect));
    RegionHandle inImage = handle;
    if (m_image.firstRowIsBottom) inImage.dy = -handle.dy;
    m_region = draggedRegion(m_dragRegion, inImage, distance, 1);
    update();
    emit regionEdited(*m_region, isFinal);
}

void ImageView::editWindow(double dx, double dy) {
    setWindow(draggedWindow(m_dragWindow, dx, dy));
    emit windowEdited(m_window);
}

void ImageView::beginLeftDrag(QPointF at) {
    m_dragHandle = handleUnder(at);
    if (!m_dragHandle.isNone()) {
        m_drag = Drag::region;
        m_dragRegion = m_region->normalized();
    } else if (m_rowLine && !m_crosshair) {
        m_drag = Drag::rowLine;
        dragTo(at);
    } else {
        m_drag = Drag::crosshair;
        dragTo(at);
    }
}

void ImageView::mousePressEvent(QMouseEvent* event) {
    if (m_drag != Drag::none || m_image.isEmpty()) return;
    m_dragFrom = event->position();
    m_dragButton = event->button();
    m_dragPlacement = m_placement;
    m_dragWindow = m_window;
    m_crosshairBefore = m_crosshair;
    m_rowLineBefore = m_rowLine;
    m_sincePress.start();
    if (event->button() == Qt::LeftButton) {
        beginLeftDrag(event->position());
    } else if (event->button() == Qt::RightButton) {
        m_drag = Drag::window;
    } else if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::pan;
        setCursor(Qt::ClosedHandCursor);
    }
}

void ImageView::dragTo(QPointF at) {
    const QPointF distance = at - m_dragFrom;
    const QPointF pixel = m_placement.pixelAt(m_image, at);
    switch (m_drag) {
        case Drag::crosshair:
            moveCrosshair(pixel);
            break;
        case Drag::rowLine:
            moveRowLine(pixel.y());
            break;
        case Drag::region:
            editRegion(m_dragHandle, distance, false);
            break;
        case Drag::window:
            editWindow(distance.x(), distance.y());
            break;
        case Drag::pan:
            place({m_dragPlacement.zoom, m_dragPlacement.origin + distance});
            break;
        case Drag::none:
            break;
    }
}

void ImageView::mouseMoveEvent(QMouseEvent* event) {
    // The image may be removed during a drag.
    if (m_image.isEmpty()) m_drag = Drag::none;
    if (m_drag == Drag::region && !m_region) m_drag = Drag::none;
    if (m_drag == Drag::none) {
        showCursor(event->position());
    } else {
        dragTo(event->position());
    }
    tellHovered(event->position());
}

void ImageView::mouseReleaseEvent(QMouseEvent* event) {
    if (m_drag == Drag::none || event->button() != m_dragButton) return;
    const Drag ended = std::exchange(m_drag, Drag::none);
    if (ended == Drag::region && m_region && !m_image.isEmpty())
        editRegion(m_dragHandle, event->position() - m_dragFrom, true);
    showCursor(event->position());
}

// A double click only maximises, so what its first press has moved is restored.
void ImageView::undoFirstPress() {
    if (!m_sincePress.isValid() || m_sincePress.elapsed() > QApplication::doubleClickInterval())
        return;
    m_sincePress.invalidate();
    if (m_crosshair && m_crosshairBefore && *m_crosshair != *m_crosshairBefore)
        moveCrosshair(*m_crosshairBefore);
    if (!m_crosshair && m_rowLine && m_rowLineBefore && *m_rowLine != *m_rowLineBefore)
        moveRowLine(*m_rowLineBefore);
}

void ImageView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        undoFirstPress();
        emit maximiseRequested();
    } else {
        mousePressEvent(event);
    }
}

void ImageView::wheelEvent(QWheelEvent* event) {
    if (m_image.isEmpty()) {
        event->ignore();
        return;
    }
    event->accept();
    constexpr int kNotch = 120;
    if (event->modifiers() & Qt::ControlModifier) {
        zoomBy(std::pow(kZoomStep, event->angleDelta().y() / double{kNotch}), event->position());
        tellHovered(event->position());
        return;
    }
    m_wheelRest += event->angleDelta().y();
    const int steps = m_wheelRest / kNotch;
    m_wheelRest -= steps * kNotch;
    if (steps != 0) emit scrolled(steps);
}

bool ImageView::pressArrow(QPointF direction, Qt::KeyboardModifiers modifiers) {
    constexpr double kManyPixels = 10;
    const double up = m_image.firstRowIsBottom ? -1 : 1;
    if (modifiers & Qt::AltModifier) {
        m_dragWindow = m_window;
        editWindow(kManyPixels * direction.x(), kManyPixels * direction.y());
    } else if (modifiers & Qt::ControlModifier && m_region) {
        const bool isSizing = modifiers & Qt::ShiftModifier;
        const RegionHandle handle = isSizing ? RegionHandle{direction.x() != 0, direction.y() != 0}
                                             : RegionHandle{0, 0, true};
        m_dragRegion = m_region->normalized();
        editRegion(handle,
                   {direction.x() * m_placement.zoom,
                    direction.y() * m_placement.zoom * m_image.pixelAspect},
                   true);
    } else if (modifiers & Qt::ControlModifier) {
        constexpr double kPan = 4 * 8;
        place({m_placement.zoom, m_placement.origin - kPan * direction});
    } else {
        const double pixels = modifiers & Qt::ShiftModifier ? kManyPixels : 1;
        const QPointF move = pixels * QPointF(direction.x(), up * direction.y());
        if (m_crosshair) {
            moveCrosshair(*m_crosshair + move);
        } else if (m_rowLine && direction.y() != 0) {
            moveRowLine(*m_rowLine + move.y());
        } else {
            return false;
        }
    }
    return true;
}

void ImageView::keyPressEvent(QKeyEvent* event) {
    const QPointF middle(width() / 2.0, height() / 2.0);
    bool isDone = !m_image.isEmpty();
    if (!isDone) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
        case Qt::Key_Left:
            isDone = pressArrow({-1, 0}, event->modifiers());
            break;
        case Qt::Key_Right:
            isDone = pressArrow({1, 0}, event->modifiers());
            break;
        case Qt::Key_Up:
            isDone = pressArrow({0, -1}, event->modifiers());
            break;
        case Qt::Key_Down:
            isDone = pressArrow({0, 1}, event->modifiers());
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomBy(kZoomStep, middle);
            break;
        case Qt::Key_Minus:
            zoomBy(1 / kZoomStep, middle);
            break;
        case Qt::Key_0:
            fit();
            break;
        case Qt::Key_PageUp:
            emit scrolled(1);
            break;
        case Qt::Key_PageDown:
            emit scrolled(-1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit maximiseRequested();
            break;
        default:
            isDone = false;
    }
    if (!isDone) QWidget::keyPressEvent(event);
}

void ImageView::leaveEvent(QEvent*) {
    emit left();
}

}  // namespace gantry
