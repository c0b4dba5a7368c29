#include "ui/scene/schematic_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/models/text.h"
#include "ui/scene/schematic_drag.h"
#include "ui/scene/schematic_shape.h"

namespace gantry {

namespace {

constexpr double kHandleRadius = 5;
constexpr double kHandleReach = 11;
// The picture's scale goes in steps, so that a change of a distance is seen as one, and depends on
// nothing but the scan, so that what is undone looks as before.
constexpr double kScaleStep = 1.15;
constexpr double kMargin = 1.04;
// Below that there is no room for words in the scene.
constexpr int kLeastHeightForWords = 200;

bool canBeDrawn(const ScanGeometry& geometry, const VolumeGrid& grid) {
    if (geometry.views < 1 || geometry.detector.columns < 1 || geometry.detector.rows < 1)
        return false;
    const double radius = schematicRadiusMm(geometry, grid);
    return std::isfinite(radius) && radius > 0 && geometry.sourceToIsocenterMm > 0 &&
           geometry.sourceToDetectorMm > 0;
}

// The eye in the source, the picture as wide as the detector and a margin.
OrbitCamera cameraInSource(const ScanGeometry& geometry, Index view) {
    constexpr double kBeside = 1.3;
    const ViewPose pose = viewPose(geometry, view);
    double half = 0;
    for (const Vec3 corner : detectorCorners(geometry, view))
        half = std::max(half, length(corner - pose.detectorCenterMm));
    OrbitCamera camera;
    camera.azimuthDeg = std::remainder(geometry.angleDeg(view), 360);
    camera.angleDeg = std::clamp(
        degrees(2 * std::atan(kBeside * half / geometry.sourceToDetectorMm)), 2.0, 120.0);
    camera.radiusMm = geometry.sourceToIsocenterMm * std::sin(radians(camera.angleDeg) / 2);
    return camera;
}

}  // namespace

struct SchematicView::Parts {
    explicit Parts(vtkRenderer& renderer)
        : fine(renderer, MeshActor::Kind::lines),
          strong(renderer, MeshActor::Kind::lines),
          solids(renderer, MeshActor::Kind::triangles),
          faces(renderer, MeshActor::Kind::translucentTriangles) {}

    [[nodiscard]] std::vector<SchematicHandle> handles(const OrbitCamera& camera) const {
        if (!hasScan || !isValid) return {};
        return schematicHandles(geometry, grid, view, camera);
    }

    MeshActor fine;
    MeshActor strong;
    MeshActor solids;
    MeshActor faces;
    std::vector<SchematicShape::Label> labels;

    ScanGeometry geometry;
    VolumeGrid grid;
    Index view = 0;
    bool hasScan = false;
    bool isValid = false;
    Camera kind = Camera::overview;
    OrbitCamera placed;  // as `kind` had it put last

    std::optional<SchematicHandle> hovered;
    std::optional<SchematicHandle> held;
    QPointF pressedAt;
    ScanGeometry pressedGeometry;
    VolumeGrid pressedGrid;
};

SchematicView::SchematicView(QWidget* parent)
    : VtkView(parent), m_parts(std::make_unique<Parts>(renderer())) {
    setCamera(Camera::overview);
    setAccessibleName(tr("Scanner in 3D"));
}

SchematicView::~SchematicView() = default;

void SchematicView::setScan(const ScanGeometry& geometry, const VolumeGrid& grid, bool isValid) {
    Parts& parts = *m_parts;
    parts.isValid = isValid && canBeDrawn(geometry, grid);
    if (parts.isValid) {
        parts.geometry = geometry;
        parts.grid = grid;
        parts.view = std::clamp<Index>(parts.view, 0, geometry.views - 1);
        parts.hasScan = true;
        follow();
    }
    requestRender();
}

void SchematicView::setView(Index view) {
    m_parts->view = m_parts->hasScan ? std::clamp<Index>(view, 0, m_parts->geometry.views - 1)
                                     : std::max<Index>(view, 0);
    follow();
    requestRender();
}

void SchematicView::clear() {
    m_parts->hasScan = false;
    m_parts->isValid = false;
    m_parts->view = 0;
    m_parts->held.reset();
    m_parts->hovered.reset();
    requestRender();
}

void SchematicView::follow() {
    if (m_parts->held) return;
    const OrbitCamera placed = placement(m_parts->kind);
    OrbitCamera camera = this->camera();
    if (camera == m_parts->placed)
        camera = placed;
    else  // turned or moved by the user, and to stay so
        camera.radiusMm *= placed.radiusMm / m_parts->placed.radiusMm;
    m_parts->placed = placed;
    if (camera != this->camera()) look(camera);
}

OrbitCamera SchematicView::homeCamera() const {
    return placement(m_parts->kind);
}

void SchematicView::setCamera(Camera camera) {
    m_parts->kind = camera;
    m_parts->placed = placement(camera);
    look(m_parts->placed);
}

OrbitCamera SchematicView::placement(Camera kind) const {
    if (kind == Camera::fromSource && m_parts->hasScan)
        return cameraInSource(m_parts->geometry, m_parts->view);
    OrbitCamera camera;
    camera.azimuthDeg = kind == Camera::alongAxis ? 0 : -58;
    camera.elevationDeg = kind == Camera::alongAxis ? 90 : 28;
    if (!m_parts->hasScan) return camera;
    // What turns about the axis is a cylinder, seen from above at the camera's elevation.
    const double radius = schematicRadiusMm(m_parts->geometry, m_parts->grid);
    const double halfHeight = schematicHalfHeightMm(m_parts->geometry, m_parts->grid);
    const double elevation = radians(camera.elevationDeg);
    const double across = radius;
    const double upwards = radius * std::sin(elevation) + halfHeight * std::cos(elevation);
    const double shorter = std::max(1, std::min(width(), height()));
    const double wanted = kMargin * std::max(across * shorter / std::max(1, width()),
                                             upwards * shorter / std::max(1, height()));
    camera.radiusMm = std::pow(kScaleStep, std::ceil(std::log(wanted) / std::log(kScaleStep)));
    return camera;
}

QPointF SchematicView::widgetPoint(double xMm, double yMm, double zMm) const {
    return camera().viewPoint({xMm, yMm, zMm}, size());
}

double SchematicView::sceneRadiusMm() const {
    if (!m_parts->hasScan) return camera().radiusMm;
    return length(camera().focusMm) + 1.5 * schematicRadiusMm(m_parts->geometry, m_parts->grid);
}

void SchematicView::prepareScene() {
    Parts& parts = *m_parts;
    SchematicShape shape;
    if (parts.hasScan)
        shape = schematicShape(parts.geometry, parts.grid, parts.view, themeOf(*this));
    parts.fine.show(shape.fine);
    parts.strong.show(shape.strong);
    parts.solids.show(shape.solids);
    parts.faces.show(shape.faces);
    parts.fine.setLineWidth(devicePixelRatioF());
    parts.strong.setLineWidth(1.75 * devicePixelRatioF());
    parts.labels = std::move(shape.labels);
}

bool SchematicView::takesDrag(QPointF at, Qt::MouseButton button) {
    if (button != Qt::LeftButton) return false;
    hovered(at);
    Parts& parts = *m_parts;
    parts.held = parts.hovered;
    parts.pressedAt = at;
    parts.pressedGrid = parts.grid;
    parts.pressedGeometry = parts.geometry;
    return parts.held.has_value();
}

void SchematicView::dragged(QPointF at) {
    Parts& parts = *m_parts;
    if (!parts.held) return;
    const SightLine from = camera().sightLine(parts.pressedAt, size());
    const SightLine to = camera().sightLine(at, size());
    if (parts.held->kind == SchematicHandle::Kind::face) {
        parts.grid = withFaceDragged(parts.pressedGrid, *parts.held, from, to);
    } else {
        const auto shift = detectorShift(parts.pressedGeometry, parts.view, from, to);
        if (!shift) return;
        // No finer than the picture shows.
        const double step = roundLength(camera().mmPerPixel(size()));
        const auto& before = parts.pressedGeometry.detector.offsetMm;
        const auto rounded = [step](double value) { return std::round(value / step) * step; };
        parts.geometry.detector.offsetMm = {rounded(before[0] + shift->x()),
                                            rounded(before[1] + shift->y())};
    }
    emitDragged(false);
    requestRender();
}

void SchematicView::dragEnded() {
    Parts& parts = *m_parts;
    if (!parts.held) return;
    const bool isChanged =
        parts.grid != parts.pressedGrid || parts.geometry != parts.pressedGeometry;
    if (isChanged) emitDragged(true);
    parts.held.reset();
    follow();
    requestRender();
}

void SchematicView::emitDragged(bool isFinal) {
    // Copies: whoever hears it sets the scan anew.
    const auto offset = m_parts->geometry.detector.offsetMm;
    const VolumeGrid grid = m_parts->grid;
    if (m_parts->held->kind == SchematicHandle::Kind::face)
        emit gridDragged(grid, isFinal);
    else
        emit detectorOffsetDragged(offset[0], offset[1], isFinal);
}

void SchematicView::hovered(QPointF at) {
    std::optional<SchematicHandle> nearest;
    double least = kHandleReach;
    for (const SchematicHandle& handle : m_parts->handles(camera())) {
        const QPointF way = camera().viewPoint(handle.positionMm, size()) - at;
        const double distance = std::hypot(way.x(), way.y());
        if (distance > least) continue;
        least = distance;
        nearest = handle;
    }
    const auto& before = m_parts->hovered;
    if (nearest.has_value() == before.has_value() && (!nearest || nearest->isSame(*before))) return;
    m_parts->hovered = nearest;
    if (nearest)
        setCursor(Qt::SizeAllCursor);
    else
        unsetCursor();
    update();
}

void SchematicView::resizeEvent(QResizeEvent* event) {
    VtkView::resizeEvent(event);
    follow();
}

void SchematicView::leaveEvent(QEvent* event) {
    VtkView::leaveEvent(event);
    m_parts->hovered.reset();
    unsetCursor();
    update();
}

bool SchematicView::event(QEvent* event) {
    const auto& hovered = m_parts->hovered;
    if (event->type() != QEvent::ToolTip || !hovered) return VtkView::event(event);
    QString text;
    if (hovered->kind == SchematicHandle::Kind::face) {
        const QString axes[] = {"x", "y", "z"};
        text = tr("Drag to change the region of interest along %1; the voxels keep their size.")
                   .arg(axes[hovered->axis]);
    } else {
        text = tr("Drag to move the detector in its plane: its offset along u and v.");
    }
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text, this);
    return true;
}

void SchematicView::paintOver(QPainter& painter) {
    const Theme theme = themeOf(*this);
    if (!m_parts->hasScan) {
        painter.setPen(theme.muted);
        painter.drawText(rect().adjusted(kSpacing, kSpacing, -kSpacing, -kSpacing),
                         Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Open a scan to see its geometry."));
        return;
    }
    if (height() >= kLeastHeightForWords) paintLabels(painter);
    paintHandles(painter);
    if (!m_parts->isValid) {
        QColor veil = theme.background;
        veil.setAlphaF(0.65F);
        painter.fillRect(rect(), veil);
    }
    paintTriad(painter, camera());
    paintCaption(painter);
}

void SchematicView::paintHandles(QPainter& painter) const {
    const Theme theme = themeOf(*this);
    for (const SchematicHandle& handle : m_parts->handles(camera())) {
        const auto& marked = m_parts->held ? m_parts->held : m_parts->hovered;
        const bool isMarked = marked && marked->isSame(handle);
        const bool isFace = handle.kind == SchematicHandle::Kind::face;
        const double radius = isMarked ? 1.4 * kHandleRadius : kHandleRadius;
        painter.setPen(QPen(theme.background, 1.5));
        painter.setBrush(isMarked ? theme.text : isFace ? theme.good : theme.accent);
        painter.drawEllipse(camera().viewPoint(handle.positionMm, size()), radius, radius);
    }
}

void SchematicView::paintLabels(QPainter& painter) const {
    const QFontMetricsF metrics(painter.font());
    for (const auto& label : m_parts->labels) {
        if (camera().depthMm(label.atMm) <= 0) continue;
        const QPointF at = camera().viewPoint(label.atMm, size());
        paintText(painter,
                  at + QPointF(-metrics.horizontalAdvance(label.text) / 2, metrics.capHeight() / 2),
                  label.text, label.colour);
    }
}

// With a rim in the background's colour, so that it is legible over lines.
void SchematicView::paintText(QPainter& painter, QPointF baseline, const QString& text,
                              const QColor& colour) const {
    // At whole pixels, where letters are sharp, and alike every time.
    const QPointF at(std::round(baseline.x()), std::round(baseline.y()));
    QPainterPath path;
    path.addText(at, painter.font(), text);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(themeOf(*this).background, 4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
    painter.setPen(colour);
    painter.drawText(at, text);
}

void SchematicView::paintCaption(QPainter& painter) const {
    const ScanGeometry& geometry = m_parts->geometry;
    const VolumeGrid& grid = m_parts->grid;
    const auto edge = [&](std::size_t axis) {
        return numberText(static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis]);
    };
    const QString lines[] = {
        tr("SOD %1 mm · SDD %2 mm")
            .arg(numberText(geometry.sourceToIsocenterMm), numberText(geometry.sourceToDetectorMm)),
        tr("Volume %1 × %2 × %3 mm").arg(edge(0), edge(1), edge(2)),
        tr("View %1 of %2 at %3°")
            .arg(m_parts->view + 1)
            .arg(geometry.views)
            .arg(numberText(geometry.angleDeg(m_parts->view)))};
    const QFontMetricsF metrics(painter.font());
    const QColor colour = themeOf(*this).muted;
    const double bottom = height() - kSpacing - metrics.descent();
    paintText(painter, {kSpacing, kSpacing + metrics.ascent()}, lines[0], colour);
    if (height() >= kLeastHeightForWords)
        paintText(painter, {kSpacing, bottom - metrics.lineSpacing()}, lines[1], colour);
    paintText(painter, {kSpacing, bottom}, lines[2], colour);
}

}  // namespace gantry
