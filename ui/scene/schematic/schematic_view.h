#pragma once

#include <memory>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/schematic/schematic_drag.h"
#include "ui/scene/schematic/schematic_labels.h"
#include "ui/scene/vtk_view.h"

namespace gantry {

/// The scanner in 3D: source, detector, orbit, cone, volume box, the rays of the current view. The
/// faces of the box and the detector (its offset, in its own plane) are dragged by handles in their
/// middles. A handle stays under the pointer, with its value beside it; with Ctrl it moves a tenth
/// of the way. Tests: tests/ui/scene/schematic_view_test.cpp
class SchematicView : public VtkView {
    Q_OBJECT

  public:
    explicit SchematicView(QWidget* parent = nullptr);
    ~SchematicView() override;

    /// With errors in the geometry or grid, the last good picture stays, greyed. This returns
    /// quickly: the picture is made at the next turn of the event loop.
    void setScan(const ScanGeometry& geometry, const VolumeGrid& grid, bool isValid);
    void setView(Index view);
    void setName(const QString& name);  ///< of the scan that is shown
    void clear();
    enum class Camera { overview, alongAxis, fromSource };
    void setCamera(Camera camera);
    /// The handles that can be dragged now, where they are drawn; see widgetPoint().
    [[nodiscard]] std::vector<SchematicHandle> handles() const;
    /// The words in the picture as last painted, except the axes' letters.
    [[nodiscard]] const std::vector<PlacedWords>& words() const;
    /// The position of a point of the picture in this widget, logical pixels. The picture's mm are
    /// the scan's, unless the picture states that it is not to scale.
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
    enum class Fit { always, ifNeeded };
    void follow(Fit fit);
    void emitDragged(bool isFinal);
    void paintHandles(QPainter& painter) const;
    void paintWords(QPainter& painter);
    [[nodiscard]] QRectF valueArea() const;
    void paintValue(QPainter& painter) const;

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
