#include "ui/scene/schematic/schematic_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/scene/legible_text.h"
#include "ui/scene/schematic/schematic_camera.h"
#include "ui/scene/schematic/schematic_scale.h"
#include "ui/scene/schematic/schematic_shape.h"

namespace gantry {

namespace {

constexpr double kHandleRadius = 5;
constexpr double kHandleReach = 11;
// With Ctrl the handle goes a tenth of the pointer's way.
constexpr double kFineShare = 0.1;

bool canBeDrawn(const ScanGeometry& geometry, const VolumeGrid& grid) {
    if (geometry.views() < 1 || geometry.detector.columns < 1 || geometry.detector.rows < 1)
        return false;
    const double radius = schematicRadiusMm(geometry, grid);
    const SourceDistances source = sourceDistances(geometry);
    return std::isfinite(radius) && radius > 0 && source.toIsocenterMm > 0 &&
           source.toDetectorMm > 0;
}

// The value after a drag, in steps that the picture can show; a move of less than one changes
// nothing.
double stepped(double before, double moved, double step) {
    if (std::abs(moved) < step / 2) return before;
    return std::round((before + moved) / step) * step;
}

}  // namespace

struct SchematicView::Parts {
    explicit Parts(vtkRenderer& renderer)
        : fine(renderer, MeshActor::Kind::lines),
          strong(renderer, MeshActor::Kind::lines),
          solids(renderer, MeshActor::Kind::triangles),
          faces(renderer, MeshActor::Kind::translucentTriangles) {}

    [[nodiscard]] std::vector<SchematicHandle> handles(const OrbitCamera& camera,
                                                       QSizeF size) const;
    void drawAgain() {
        drawnGeometry = drawn(geometry, scale);
        drawnGrid = drawn(grid, scale);
    }
    [[nodiscard]] bool isMarked(const SchematicHandle& handle) const {
        const auto& marked = held ? held : hovered;
        return marked && marked->isSame(handle);
    }

    MeshActor fine;
    MeshActor strong;
    MeshActor solids;
    MeshActor faces;
    SchematicShape shape;            // as last drawn
    std::vector<PlacedWords> words;  // as last painted

    ScanGeometry geometry;
    VolumeGrid grid;
    SchematicScale scale;
    ScanGeometry drawnGeometry;
    VolumeGrid drawnGrid;
    Index view = 0;
    QString name;
    bool hasScan = false;
    bool isValid = false;
    Camera kind = Camera::overview;
    OrbitCamera placed;  // as last placed for `kind`

    std::optional<SchematicHandle> hovered;
    std::optional<SchematicHandle> held;
    QPointF pressedAt;
    QPointF lastAt;
    QPointF pulledTo;  // where the pointer would be without Ctrl
    ScanGeometry pressedGeometry;
    VolumeGrid pressedGrid;
};

std::vector<SchematicHandle> SchematicView::Parts::handles(const OrbitCamera& camera,
                                                           QSizeF size) const {
    if (!hasScan || !isValid) return {};
    std::vector<SchematicHandle> all = schematicHandles(drawnGeometry, drawnGrid, view, camera);
    return held ? all : handlesApart(all, camera, size);
}

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
        const Fit fit = parts.hasScan ? Fit::ifNeeded : Fit::always;
        parts.geometry = geometry;
        parts.grid = grid;
        parts.view = std::clamp<Index>(parts.view, 0, geometry.views() - 1);
        parts.hasScan = true;
        if (!parts.held) parts.scale = schematicScale(geometry);
        parts.drawAgain();
        follow(fit);
    }
    requestRender();
}

void SchematicView::setName(const QString& name) {
    m_parts->name = name;
    update();
}

void SchematicView::setView(Index view) {
    m_parts->view = m_parts->hasScan ? std::clamp<Index>(view, 0, m_parts->geometry.views() - 1)
                                     : std::max<Index>(view, 0);
    follow(Fit::ifNeeded);
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

void SchematicView::follow(Fit fit) {
    if (m_parts->held) return;
    OrbitCamera placed = placement(m_parts->kind);
    // While the camera leaves little of the picture empty it is kept, so that a distance that is
    // edited moves what is drawn, and not the scale.
    constexpr double kMaxSlack = 1.8;
    const double before = m_parts->placed.radiusMm;
    if (fit == Fit::ifNeeded && m_parts->kind != Camera::fromSource && before > placed.radiusMm &&
        before < kMaxSlack * placed.radiusMm)
        placed.radiusMm = before;
    OrbitCamera camera = this->camera();
    if (camera == m_parts->placed)
        camera = placed;
    else  // turned or moved by the user, so it is kept
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
    const Parts& parts = *m_parts;
    if (kind == Camera::fromSource && parts.hasScan)
        return cameraInSource(parts.drawnGeometry, parts.view);
    OrbitCamera camera;
    camera.azimuthDeg = kind == Camera::alongAxis ? 0 : -58;
    camera.elevationDeg = kind == Camera::alongAxis ? 90 : 28;
    if (!parts.hasScan) return camera;
    const SchematicWords words =
        schematicWords(parts.geometry, parts.grid, parts.view, parts.scale);
    return fitted(camera, parts.drawnGeometry, parts.drawnGrid, size(),
                  roomsAbove(words.distances, QFontMetricsF(font())));
}

QPointF SchematicView::widgetPoint(double xMm, double yMm, double zMm) const {
    return camera().viewPoint({xMm, yMm, zMm}, size());
}

std::vector<SchematicHandle> SchematicView::handles() const {
    return m_parts->handles(camera(), size());
}

double SchematicView::sceneRadiusMm() const {
    const Parts& parts = *m_parts;
    if (!parts.hasScan) return camera().radiusMm;
    return length(camera().focusMm) + 1.5 * schematicRadiusMm(parts.drawnGeometry, parts.drawnGrid);
}

void SchematicView::prepareScene() {
    Parts& parts = *m_parts;
    SchematicShape& shape = parts.shape = {};
    if (parts.hasScan)
        shape = schematicShape(parts.drawnGeometry, parts.drawnGrid, parts.view, themeOf(*this));
    parts.fine.show(shape.fine);
    parts.strong.show(shape.strong);
    parts.solids.show(shape.solids);
    parts.faces.show(shape.faces);
    parts.fine.setLineWidth(devicePixelRatioF());
    parts.strong.setLineWidth(1.75 * devicePixelRatioF());
}

bool SchematicView::takesDrag(QPointF at, Qt::MouseButton button) {
    if (button != Qt::LeftButton) return false;
    hovered(at);
    Parts& parts = *m_parts;
    parts.held = parts.hovered;
    parts.pressedAt = parts.lastAt = parts.pulledTo = at;
    parts.pressedGrid = parts.grid;
    parts.pressedGeometry = parts.geometry;
    return parts.held.has_value();
}

void SchematicView::dragged(QPointF at, Qt::KeyboardModifiers modifiers) {
    Parts& parts = *m_parts;
    if (!parts.held) return;
    const double speed = modifiers & Qt::ControlModifier ? kFineShare : 1;
    parts.pulledTo += speed * (at - parts.lastAt);
    parts.lastAt = at;
    const ViewRay from = camera().viewRay(parts.pressedAt, size());
    const ViewRay to = camera().viewRay(parts.pulledTo, size());
    if (parts.held->kind == SchematicHandle::Kind::face) {
        const VolumeGrid pressed = drawn(parts.pressedGrid, parts.scale);
        parts.grid = undrawn(withFaceDragged(pressed, *parts.held, from, to), parts.scale);
        parts.grid.pitchMm = parts.pressedGrid.pitchMm;  // restores digits lost by rounding
    } else {
        const auto shift = detectorShift(drawn(parts.pressedGeometry, parts.scale), parts.view,
                                         *parts.held, from, to);
        if (!shift) return;
        const std::array<double, 2> drawnShift = {shift->x(), shift->y()};
        for (const int axis : {0, 1}) {
            const auto i = static_cast<std::size_t>(axis);
            const double scale = parts.scale.onDetector(axis);
            parts.geometry.detector.offsetMm[i] =
                stepped(parts.pressedGeometry.detector.offsetMm[i], drawnShift[i] / scale,
                        roundLength(speed * camera().mmPerPixel(size()) / scale));
        }
    }
    parts.drawAgain();
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
    // The picture keeps its scale, so what was dragged stays under the pointer.
    requestRender();
}

void SchematicView::emitDragged(bool isFinal) {
    // These are copies, because receivers of the signal change the scan.
    const auto offset = m_parts->geometry.detector.offsetMm;
    const VolumeGrid grid = m_parts->grid;
    if (m_parts->held->kind == SchematicHandle::Kind::face)
        emit gridDragged(grid, isFinal);
    else
        emit detectorOffsetDragged(offset[0], offset[1], isFinal);
}

void SchematicView::hovered(QPointF at) {
    std::optional<SchematicHandle> nearest;
    double min = kHandleReach;
    for (const SchematicHandle& handle : handles()) {
        const QPointF way = camera().viewPoint(handle.positionMm, size()) - at;
        const double distance = std::hypot(way.x(), way.y());
        if (distance > min) continue;
        min = distance;
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
    follow(Fit::always);
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
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), handleHint(*hovered), this);
    return true;
}

void SchematicView::paintOver(QPainter& painter) {
    const Theme theme = themeOf(*this);
    m_parts->words.clear();
    if (!m_parts->hasScan) {
        painter.setPen(theme.muted);
        painter.drawText(rect().adjusted(kSpacing, kSpacing, -kSpacing, -kSpacing),
                         Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Open a scan to see its geometry."));
        return;
    }
    paintHandles(painter);
    if (!m_parts->isValid) {
        QColor veil = theme.background;
        veil.setAlphaF(0.65F);
        painter.fillRect(rect(), veil);
    }
    paintWords(painter);
    if (m_parts->held) paintValue(painter);
}

void SchematicView::paintHandles(QPainter& painter) const {
    const Theme theme = themeOf(*this);
    for (const SchematicHandle& handle : handles()) {
        const bool isMarked = m_parts->isMarked(handle);
        const bool isFace = handle.kind == SchematicHandle::Kind::face;
        const double radius = isMarked ? 1.4 * kHandleRadius : kHandleRadius;
        painter.setPen(QPen(theme.background, 1.5));
        painter.setBrush(isMarked ? theme.text : isFace ? theme.good : theme.accent);
        painter.drawEllipse(camera().viewPoint(handle.positionMm, size()), radius, radius);
    }
}

void SchematicView::paintWords(QPainter& painter) {
    Parts& parts = *m_parts;
    const Theme theme = themeOf(*this);
    const QFontMetricsF metrics(painter.font());
    const ViewParts drawnNow = drawnParts(parts.shape, camera(), size());
    const auto reach = drawnReach(parts.drawnGeometry, parts.drawnGrid, camera(), size());
    SchematicLabels labels(rect(), metrics, reach ? *reach : drawnNow, drawnNow);
    for (const QWidget* child : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (child->isVisible()) labels.keepFree(child->geometry());
    if (parts.held) labels.keepFree(valueArea());
    for (const SchematicHandle& handle : handles()) {
        QRectF area(0, 0, 3 * kHandleRadius, 3 * kHandleRadius);
        area.moveCenter(camera().viewPoint(handle.positionMm, size()));
        labels.keepFree(area);
    }
    const auto words = schematicWords(parts.geometry, parts.grid, parts.view, parts.scale);
    labels.placeAbove(parts.name, words, theme.muted);
    if (labels.take(triadArea(camera()))) paintTriad(painter, camera(), theme);
    labels.placeBelow(words, theme.muted);
    for (const auto& label : parts.shape.labels)
        if (camera().depthMm(label.atMm) > 0)
            labels.placeAt(camera().viewPoint(label.atMm, size()), label.text, label.colour);
    parts.words = labels.placed();
    for (const PlacedWords& each : parts.words)
        paintLegible(painter, {each.area.left(), each.area.top() + metrics.ascent()}, each.text,
                     each.colour, theme.background);
}

const std::vector<PlacedWords>& SchematicView::words() const {
    return m_parts->words;
}

// Beside the pointer, on the side with room.
QRectF SchematicView::valueArea() const {
    const Parts& parts = *m_parts;
    const QString text = handleValueText(*parts.held, parts.geometry, parts.grid);
    QRectF box = QFontMetricsF(tabular(font())).boundingRect(rect(), 0, text);
    box.adjust(0, 0, kSpacing, kSpacing);
    constexpr double kBeside = 2 * kSpacing;
    box.moveBottomLeft(parts.lastAt + QPointF(kBeside, -kBeside));
    if (box.right() > width()) box.moveRight(parts.lastAt.x() - kBeside);
    box.moveLeft(std::max(0.0, box.left()));
    if (box.top() < 0) box.moveTop(parts.lastAt.y() + kBeside);
    return box;
}

void SchematicView::paintValue(QPainter& painter) const {
    const Theme theme = themeOf(*this);
    const QRectF box = valueArea();
    painter.setFont(tabular(font()));
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter,
                     handleValueText(*m_parts->held, m_parts->geometry, m_parts->grid));
}

}  // namespace gantry
