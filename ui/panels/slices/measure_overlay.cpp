#include "ui/panels/slices/measure_overlay.h"

#include <QEvent>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <utility>

#include "ui/widgets/image/image_view.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

constexpr double kReach = 6;  // max distance of the pointer from a handle, logical pixels

const QColor kLine(0x5E, 0xEA, 0xD4);  // not a colour of an axis or of the region of interest
const QColor kChosenLine(0xFF, 0xFF, 0xFF);
const QColor kOutline(0, 0, 0, 160);

double distanceToLine(QPointF at, QPointF from, QPointF to) {
    const QPointF along = to - from;
    const double squared = QPointF::dotProduct(along, along);
    const double share =
        squared > 0 ? std::clamp(QPointF::dotProduct(at - from, along) / squared, 0.0, 1.0) : 0;
    return QLineF(at, from + share * along).length();
}

}  // namespace

MeasureOverlay::MeasureOverlay(Measurements& measurements, const std::optional<SlicePlane>& plane,
                               ImageView& view)
    : QWidget(&view), m_measurements(measurements), m_plane(plane), m_view(view) {
    setObjectName(view.objectName() + "Measure");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    resize(view.size());
    lower();  // below the labels of the axes
    view.installEventFilter(this);
    connect(&measurements, &Measurements::changed, this, [this] { update(); });
    connect(&measurements, &Measurements::toolChanged, this, [this] {
        m_newPoints.clear();
        update();
    });
}

void MeasureOverlay::setPlace(const PlaneRaster& raster, const VolumeGrid& pixels) {
    if (raster != m_raster) {
        m_newPoints.clear();
        m_grip.reset();
    }
    m_raster = raster;
    m_pixels = pixels;
    update();
}

bool MeasureOverlay::eventFilter(QObject* watched, QEvent* event) {
    bool isTaken = false;
    switch (event->type()) {
        case QEvent::Resize:
            resize(m_view.size());
            break;
        case QEvent::FocusOut:
            // The user continues in another view or window, so the unfinished measurement goes.
            m_newPoints.clear();
            update();
            break;
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
            isTaken = press(*static_cast<const QMouseEvent*>(event));
            break;
        case QEvent::MouseMove:
            isTaken = move(*static_cast<const QMouseEvent*>(event));
            break;
        case QEvent::MouseButtonRelease:
            isTaken = release(*static_cast<const QMouseEvent*>(event));
            break;
        default:
            break;
    }
    return isTaken || QWidget::eventFilter(watched, event);
}

// With a tool, each click sets a point and a drag sets two; without one, a press begins a drag.
bool MeasureOverlay::press(const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton || m_view.image().isEmpty()) return false;
    m_pressed = event.position();
    if (m_measurements.tool()) {
        if (m_measurements.tool() == MeasureKind::region && !m_plane) return false;
        if (m_newPoints.empty()) m_newPoints.push_back(placeAt(m_pressed));
        m_newPoints.back() = placeAt(m_pressed);
        setPoint();
        return true;
    }
    m_grip = gripAt(m_pressed);
    if (m_grip) m_measurements.choose(m_grip->before.id);
    return m_grip.has_value();
}

bool MeasureOverlay::move(const QMouseEvent& event) {
    if (m_view.image().isEmpty()) return false;
    if (m_grip) {
        drag(event.position(), false);
        return true;
    }
    if (!m_newPoints.empty()) {
        m_newPoints.back() = placeAt(event.position());
        update();
        return false;  // the view still shows the value under the pointer
    }
    const bool isOverGrip = event.buttons() == Qt::NoButton && !m_measurements.tool() &&
                            gripAt(event.position()).has_value();
    if (isOverGrip) m_view.setCursor(Qt::PointingHandCursor);
    return isOverGrip;
}

bool MeasureOverlay::release(const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton) return false;
    if (m_grip) {
        drag(event.position(), true);
        m_grip.reset();
        return true;
    }
    const bool wasDragged = QLineF(m_pressed, event.position()).length() > kReach;
    if (m_newPoints.empty() || !wasDragged) return false;
    m_newPoints.back() = placeAt(event.position());
    setPoint();
    return true;
}

void MeasureOverlay::setPoint() {
    const MeasureKind kind = *m_measurements.tool();
    if (m_newPoints.size() < pointsOf(kind)) {
        m_newPoints.push_back(m_newPoints.back());
        update();
        return;
    }
    if (length(m_newPoints[1] - m_newPoints[0]) <= 0) return;  // second click in the same place
    SliceMeasure drawn = drawing();
    m_newPoints.clear();
    m_measurements.add(kind, std::move(drawn.points));
}

void MeasureOverlay::drag(QPointF at, bool isFinal) {
    SliceMeasure edited = m_grip->before;
    if (at == m_pressed) {
        // The pointer is where it was pressed, so the measurement must not change by rounding.
    } else if (m_grip->point) {
        Vec3& point = edited.points[*m_grip->point];
        point = placeAt(at + viewAt(point) - m_pressed);
    } else if (!m_grip->handle.isNone()) {
        const RegionBox box = regionOf(edited);
        RegionHandle handle = m_grip->handle;
        if (m_view.image().firstRowIsBottom) handle.dy = -handle.dy;
        const QRectF dragged = draggedRegion(rectangleOf(box, *m_plane, m_pixels), handle,
                                             m_view.pixelAt(at) - m_view.pixelAt(m_pressed), 1);
        edited = withRegion(edited, boxWith(box, dragged, *m_plane, m_pixels));
    }
    if (edited != m_grip->before || isFinal) m_measurements.edit(edited, isFinal);
}

// The point of the slice at a position in the view, clamped to the image.
Vec3 MeasureOverlay::placeAt(QPointF view) const {
    return m_raster.placeMm(m_raster.inside(m_view.pixelAt(view)));
}

QPointF MeasureOverlay::viewAt(Vec3 place) const {
    return m_view.viewAt(m_raster.pixelOf(place));
}

QRectF MeasureOverlay::rectangleInView(const SliceMeasure& region) const {
    const QRectF pixels = rectangleOf(regionOf(region), *m_plane, m_pixels);
    return QRectF(m_view.viewAt(pixels.topLeft()), m_view.viewAt(pixels.bottomRight()))
        .normalized();
}

// The measurement that a click at the pointer's position would add. A region is as thick as the
// slice.
SliceMeasure MeasureOverlay::drawing() const {
    SliceMeasure drawn{0, *m_measurements.tool(), m_newPoints};
    if (drawn.kind != MeasureKind::region) return drawn;
    RegionBox box = regionOf(drawn);
    const double half = length(m_raster.normalStepMm) / 2;
    box.lowMm[m_plane->normal] -= half;
    box.highMm[m_plane->normal] += half;
    return withRegion(drawn, box);
}

bool MeasureOverlay::isShown(const SliceMeasure& measurement) const {
    const bool canBe = m_plane || measurement.kind != MeasureKind::region;
    return canBe && !m_view.image().isEmpty() && liesIn(measurement, m_raster);
}

std::optional<MeasureOverlay::Grip> MeasureOverlay::gripAt(QPointF view) const {
    // Searches from top to bottom: the chosen measurement is painted last, so it is on top.
    if (const SliceMeasure* chosen = m_measurements.chosen(); chosen && isShown(*chosen))
        if (auto grip = gripOf(*chosen, view)) return grip;
    const auto& all = m_measurements.all();
    for (auto it = all.rbegin(); it != all.rend(); ++it)
        if (isShown(*it))
            if (auto grip = gripOf(*it, view)) return grip;
    return {};
}

std::optional<MeasureOverlay::Grip> MeasureOverlay::gripOf(const SliceMeasure& measurement,
                                                           QPointF view) const {
    Grip grip{measurement, {}, {}};
    if (measurement.kind == MeasureKind::region) {
        const QRectF rectangle = rectangleInView(measurement);
        const RegionHandle handle = handleAt(rectangle, view, kReach);
        const bool isMiddle = QLineF(view, rectangle.center()).length() <= kReach;
        if (!handle.isNone() && (!handle.isInside || isMiddle)) grip.handle = handle;
    } else {
        for (std::size_t i = 0; i < measurement.points.size() && !grip.point; ++i)
            if (QLineF(view, viewAt(measurement.points[i])).length() <= kReach) grip.point = i;
    }
    if (!grip.point && grip.handle.isNone() && !isOnLine(measurement, view)) return {};
    return grip;
}

bool MeasureOverlay::isOnLine(const SliceMeasure& measurement, QPointF view) const {
    QPolygonF line;
    if (measurement.kind == MeasureKind::region) {
        line = QPolygonF(rectangleInView(measurement));
    } else {
        for (const Vec3& point : measurement.points)
            line << viewAt(point);
    }
    for (qsizetype i = 1; i < line.size(); ++i)
        if (distanceToLine(view, line[i - 1], line[i]) <= kReach / 2) return true;
    return false;
}

void MeasureOverlay::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(tabular(font()));
    const SliceMeasure* chosen = m_measurements.chosen();
    for (const SliceMeasure& measurement : m_measurements.all())
        if (&measurement != chosen && isShown(measurement)) paint(painter, measurement, false);
    if (chosen && isShown(*chosen)) paint(painter, *chosen, true);
    if (m_newPoints.size() > 1 && m_measurements.tool()) paint(painter, drawing(), true);
}

void MeasureOverlay::paint(QPainter& painter, const SliceMeasure& measurement,
                           bool isChosen) const {
    QPolygonF handles;
    QPolygonF line;
    if (measurement.kind == MeasureKind::region) {
        const QRectF rectangle = rectangleInView(measurement);
        line = QPolygonF(rectangle);
        for (const RegionHandle& handle : regionHandles())
            handles << handlePoint(rectangle, handle);
        handles << rectangle.center();
    } else {
        for (const Vec3& point : measurement.points)
            line << viewAt(point);
        handles = line;
    }
    const QColor colour = isChosen ? kChosenLine : kLine;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(kOutline, 3.5));
    painter.drawPolyline(line);
    painter.setPen(QPen(colour, 1.5));
    painter.drawPolyline(line);
    if (isChosen) {
        painter.setBrush(kOutline);
        for (const QPointF& handle : handles)
            painter.drawEllipse(handle, 3.5, 3.5);
    }
    paintLabel(painter, measurement);
}

// Paints the label beside the last point, an angle's vertex or a region's corner, and keeps it
// inside the view.
void MeasureOverlay::paintLabel(QPainter& painter, const SliceMeasure& measurement) const {
    const QString figure = m_measurements.figure(measurement.id);
    const QString text = sizeOf(measurement) + (figure.isEmpty() ? QString() : '\n' + figure);
    const QPointF beside = measurement.kind == MeasureKind::angle ? viewAt(measurement.points[1])
                           : measurement.kind == MeasureKind::region
                               ? rectangleInView(measurement).topRight()
                               : viewAt(measurement.points.back());
    QRectF place = painter.boundingRect(QRectF(), Qt::AlignLeft, text);
    place.adjust(-4, -1, 4, 1);
    place.moveTopLeft(beside + QPointF(kSpacing, -place.height() - 2));
    place.moveLeft(std::clamp(place.left(), 1.0, std::max(1.0, width() - place.width() - 1)));
    place.moveTop(std::clamp(place.top(), 1.0, std::max(1.0, height() - place.height() - 1)));
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, 205));
    painter.drawRoundedRect(place, 3, 3);
    painter.setPen(kChosenLine);
    painter.drawText(place.adjusted(4, 1, -4, -1), Qt::AlignLeft, text);
}

}  // namespace gantry
