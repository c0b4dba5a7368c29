#pragma once

#include <memory>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/schematic/schematic_drag.h"
#include "ui/scene/schematic/schematic_labels.h"
#include "ui/scene/vtk_view.h"

namespace gantry {

/// The scanner in 3D: source, detector, orbit, cone, volume box, the rays of the current view.
/// The faces of the box and the detector (its offset, in its own plane) are dragged by their
/// handles: the middle of a face, the middle of the detector. A handle stays under the pointer,
/// with its value beside it; with Ctrl it goes a tenth of the way.
/// Tests: tests/ui/scene/schematic_view_test.cpp
class SchematicView : public VtkView {
    Q_OBJECT

  public:
    explicit SchematicView(QWidget* parent = nullptr);
    ~SchematicView() override;

    /// A geometry or grid with errors leaves the last good picture, greyed. Quick: the picture is
    /// made at the next turn of the event loop.
    void setScan(const ScanGeometry& geometry, const VolumeGrid& grid, bool isValid);
    void setView(Index view);
    void setName(const QString& name);  ///< of the scan that is drawn
    void clear();
    enum class Camera { overview, alongAxis, fromSource };
    void setCamera(Camera camera);
    /// What can be dragged now, where it is drawn; see widgetPoint().
    [[nodiscard]] std::vector<SchematicHandle> handles() const;
    /// What is written into the picture as it was painted last, but for the axes' letters.
    [[nodiscard]] const std::vector<PlacedWords>& words() const;
    /// Where a point of the picture is in this widget, logical pixels; the picture's mm are the
    /// scan's, unless it says that it is not to scale.
    [[nodiscard]] QPointF widgetPoint(double xMm, double yMm, double zMm) const;

    [[nodiscard]] QSize sizeHint() const override { return {320, 260}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 96}; }

  signals:
    void gridDragged(const gantry::VolumeGrid& grid, bool isFinal);
    void detectorOffsetDragged(double uMm, double vMm, bool isFinal);

  protected:
    [[nodiscard]] OrbitCamera homeCamera() const override;
    void prepareScene() override;
    void paintOver(QPainter& painter) override;
    [[nodiscard]] double sceneRadiusMm() const override;
    [[nodiscard]] bool takesDrag(QPointF at, Qt::MouseButton button) override;
    void dragged(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void dragEnded() override;
    void hovered(QPointF at) override;
    void resizeEvent(QResizeEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] OrbitCamera placement(Camera kind) const;
    void follow();
    void emitDragged(bool isFinal);
    void paintHandles(QPainter& painter) const;
    void paintWords(QPainter& painter);
    [[nodiscard]] QRectF valueArea() const;
    void paintValue(QPainter& painter) const;

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
