#include "ui/panels/slices/oblique_line.h"

#include <QEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/panels/slices/measurements.h"
#include "ui/widgets/image/image_view.h"

namespace gantry {
namespace {

constexpr double kHandleReach = 8;            // logical pixels
const QColor kObliqueLine(0xC4, 0xA1, 0xFF);  // of no axis, region or measurement
const QColor kUnderLine(0, 0, 0, 160);

double inSteps(double degrees) {
    constexpr double kStepDeg = 15;
    return kStepDeg * std::round(degrees / kStepDeg);
}

}  // namespace

ObliqueLine::ObliqueLine(Measurements& measurements, SliceAxis slice, ImageView& view)
    : QWidget(&view), m_measurements(measurements), m_slice(slice), m_view(view) {
    setObjectName(view.objectName() + "ObliqueLine");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    resize(view.size());
    lower();  // below the axes' names
    hide();
    view.installEventFilter(this);
    connect(&measurements, &Measurements::obliqueChanged, this, [this] { update(); });
    connect(&view, &ImageView::viewportChanged, this, [this] { update(); });
}

void ObliqueLine::setPlace(const PlaneRaster& raster, Vec3 throughMm) {
    m_raster = raster;
    m_throughMm = throughMm;
    update();
}

bool ObliqueLine::eventFilter(QObject* watched, QEvent* event) {
    bool isTaken = false;
    switch (event->type()) {
        case QEvent::Resize:
            resize(m_view.size());
            break;
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseMove:
        case QEvent::MouseButtonRelease:
            isTaken = takeMouse(*static_cast<const QMouseEvent*>(event));
            break;
        default:
            break;
    }
    return isTaken || QWidget::eventFilter(watched, event);
}

bool ObliqueLine::takeMouse(const QMouseEvent& event) {
    if (isHidden() || m_measurements.tool()) {
        m_held = 0;
        return false;
    }
    if (event.type() == QEvent::MouseMove) {
        if (m_held != 0) dragTo(event, false);
        const bool isOver = event.buttons() == Qt::NoButton && handleAt(event.position()) != 0;
        if (isOver) m_view.setCursor(Qt::PointingHandCursor);
        return isOver || m_held != 0;
    }
    if (event.button() != Qt::LeftButton) return false;
    if (event.type() == QEvent::MouseButtonRelease) {
        if (m_held == 0) return false;
        if (m_wasDragged) dragTo(event, true);
        m_held = 0;
        return true;
    }
    m_held = handleAt(event.position());
    m_wasDragged = false;
    return m_held != 0;
}

void ObliqueLine::dragTo(const QMouseEvent& event, bool isFinal) {
    m_wasDragged = true;
    const Vec3 pointed = m_raster.placeMm(m_view.pixelAt(event.position()));
    const Vec3 towards = m_throughMm + static_cast<double>(m_held) * (pointed - m_throughMm);
    ObliqueAngles angles = m_measurements.oblique();
    const bool isStepped = event.modifiers() & Qt::ShiftModifier;
    if (m_slice == SliceAxis::z) {
        angles = turnedTowards(angles, m_throughMm, towards);
        if (isStepped) angles.turnDeg = inSteps(angles.turnDeg);
    } else {
        angles = tiltedTowards(angles, m_throughMm, towards);
        if (isStepped) angles.tiltDeg = inSteps(angles.tiltDeg);
    }
    m_measurements.setOblique(angles, isFinal);
}

QPointF ObliqueLine::viewAt(Vec3 placeMm) const {
    return m_view.viewAt(m_raster.pixelOf(placeMm));
}

std::optional<QPointF> ObliqueLine::toHandle() const {
    constexpr double kOfView = 0.35;
    if (m_view.image().isEmpty() || m_raster.columns == 0) return {};
    const Vec3 line = lineIn(m_slice, m_measurements.oblique());
    if (length(line) == 0) return {};
    const double stepMm = length(m_raster.columnStepMm);
    const QPointF along = viewAt(m_throughMm + stepMm * line) - viewAt(m_throughMm);
    return kOfView * std::min(width(), height()) / QLineF({}, along).length() * along;
}

int ObliqueLine::handleAt(QPointF at) const {
    const auto handle = toHandle();
    if (!handle) return 0;
    const QPointF middle = viewAt(m_throughMm);
    for (const int end : {1, -1})
        if (QLineF(at, middle + end * *handle).length() <= kHandleReach) return end;
    return 0;
}

void ObliqueLine::paintEvent(QPaintEvent*) {
    const auto handle = toHandle();
    if (!handle) return;
    constexpr double kBeyondTheView = 20;
    constexpr double kHandleRadius = 5;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF middle = viewAt(m_throughMm);
    const QPointF end = kBeyondTheView * *handle;
    for (const QPen& pen : {QPen(kUnderLine, 3.5), QPen(kObliqueLine, 1.5)}) {
        painter.setPen(pen);
        painter.drawLine(middle - end, middle - *handle / 4);
        painter.drawLine(middle + *handle / 4, middle + end);
    }
    painter.setBrush(kUnderLine);
    for (const int side : {1, -1})
        painter.drawEllipse(middle + side * *handle, kHandleRadius, kHandleRadius);
}

}  // namespace gantry
