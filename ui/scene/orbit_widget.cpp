#include "ui/scene/orbit_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <array>
#include <cmath>
#include <utility>

#include "ui/scene/legible_text.h"

namespace gantry {

namespace {
constexpr double kZoomStep = 1.2;
constexpr double kKeyPixels = 20;
// The camera counts as still so long after the last turn of the wheel or press of a key.
constexpr int kSettleMs = 150;

constexpr const char* kTriadNames[] = {"x", "y", "z"};
// Where a line ends and where its letter is, as parts of the length.
constexpr double kTriadLine = 0.7;
constexpr double kTriadLetter = 0.95;

struct Triad {
    QPointF origin;
    std::array<QPointF, 3> ways;

    [[nodiscard]] QRectF letterArea(std::size_t axis, const QFontMetricsF& metrics) const {
        QRectF area(0, 0, metrics.horizontalAdvance(kTriadNames[axis]), metrics.height());
        area.moveCenter(origin + kTriadLetter * ways[axis]);
        return area;
    }
};

Triad triadOf(const OrbitCamera& camera, const QFontMetricsF& metrics, QSizeF view) {
    const double size = 2 * metrics.height();
    const double inset = size + 2 * kSpacing;
    Triad triad{{view.width() - inset, view.height() - inset}, {}};
    const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t i = 0; i < triad.ways.size(); ++i)
        triad.ways[i] = size * QPointF(dot(axes[i], camera.right()), -dot(axes[i], camera.up()));
    return triad;
}
}  // namespace

OrbitWidget::OrbitWidget(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    m_settled.setSingleShot(true);
    m_settled.setInterval(kSettleMs);
    connect(&m_settled, &QTimer::timeout, this, [this] {
        if (m_drag == Drag::none) cameraMoved(false);
    });
}

void OrbitWidget::look(const OrbitCamera& camera) {
    m_camera = camera;
    cameraMoved(false);
}

bool OrbitWidget::takesDrag(QPointF, Qt::MouseButton) {
    return false;
}
void OrbitWidget::dragged(QPointF, Qt::KeyboardModifiers) {}
void OrbitWidget::dragEnded() {}
void OrbitWidget::hovered(QPointF) {}

void OrbitWidget::paintTriad(QPainter& painter, const OrbitCamera& camera,
                             const Theme& theme) const {
    const QFontMetricsF metrics(painter.font());
    const Triad triad = triadOf(camera, metrics, size());
    for (std::size_t i = 0; i < triad.ways.size(); ++i) {
        const QLineF line(triad.origin, triad.origin + kTriadLine * triad.ways[i]);
        painter.setPen(QPen(theme.background, 4));
        painter.drawLine(line);
        painter.setPen(QPen(theme.muted, 1.25));
        painter.drawLine(line);
        const QRectF letter = triad.letterArea(i, metrics);
        paintLegible(painter, {letter.left(), letter.center().y() + metrics.xHeight() / 2},
                     kTriadNames[i], theme.muted, theme.background);
    }
}

QRectF OrbitWidget::triadArea(const OrbitCamera& camera) const {
    const QFontMetricsF metrics(font());
    const Triad triad = triadOf(camera, metrics, size());
    QRectF area(triad.origin, QSizeF());
    for (std::size_t i = 0; i < triad.ways.size(); ++i)
        area |= triad.letterArea(i, metrics);
    return area;
}

void OrbitWidget::mousePressEvent(QMouseEvent* event) {
    if (m_drag != Drag::none) return;
    m_button = event->button();
    m_last = event->position();
    if (takesDrag(m_last, m_button))
        m_drag = Drag::taken;
    else if (m_button == Qt::LeftButton)
        m_drag = Drag::orbit;
    else if (m_button == Qt::MiddleButton)
        m_drag = Drag::pan;
}

void OrbitWidget::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    // The release may have gone elsewhere, for example if a window opened in between.
    if (m_drag != Drag::none && !(event->buttons() & m_button)) endDrag();
    const QPointF moved = at - m_last;
    if (m_drag == Drag::none) {
        hovered(at);
    } else if (m_drag == Drag::taken) {
        dragged(at, event->modifiers());
    } else {
        if (m_drag == Drag::orbit)
            m_camera.orbit(moved, size());
        else
            m_camera.pan(moved, size());
        cameraMoved(true);
    }
    m_last = at;
}

void OrbitWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != m_button) return;
    endDrag();
    hovered(event->position());
}

void OrbitWidget::endDrag() {
    const Drag ended = std::exchange(m_drag, Drag::none);
    if (ended == Drag::taken) dragEnded();
    if (ended == Drag::orbit || ended == Drag::pan) cameraMoved(false);
}

void OrbitWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) emit maximiseRequested();
}

void OrbitWidget::wheelEvent(QWheelEvent* event) {
    if (event->angleDelta().y() == 0) return;
    m_camera.zoomBy(std::pow(kZoomStep, event->angleDelta().y() / 120.0));
    cameraMoved(true);
    m_settled.start();
}

void OrbitWidget::keyPressEvent(QKeyEvent* event) {
    QPointF turn;
    double zoom = 1;
    switch (event->key()) {
        case Qt::Key_Left:
            turn = {kKeyPixels, 0};
            break;
        case Qt::Key_Right:
            turn = {-kKeyPixels, 0};
            break;
        case Qt::Key_Up:
            turn = {0, kKeyPixels};
            break;
        case Qt::Key_Down:
            turn = {0, -kKeyPixels};
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom = kZoomStep;
            break;
        case Qt::Key_Minus:
            zoom = 1 / kZoomStep;
            break;
        case Qt::Key_0:
        case Qt::Key_Home:
            resetCamera();
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit maximiseRequested();
            return;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    m_camera.orbit(turn, size());
    m_camera.zoomBy(zoom);
    cameraMoved(true);
    m_settled.start();
}

}  // namespace gantry
