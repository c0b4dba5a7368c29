#pragma once

#include <QWidget>
#include <memory>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// The scanner in 3D: source, detector, orbit, cone, volume box, the rays of the current view.
/// The faces of the box and the detector (its offset, in its own plane) can be dragged.
/// Tests: tests/ui/scene/schematic_view_test.cpp
class SchematicView : public QWidget {
    Q_OBJECT

  public:
    explicit SchematicView(QWidget* parent = nullptr);
    ~SchematicView() override;

    /// A geometry or grid with errors leaves the last good picture, greyed.
    void setScan(const ScanGeometry& geometry, const VolumeGrid& grid, bool isValid);
    void setView(Index view);
    void clear();
    enum class Camera { overview, alongAxis, fromSource };
    void setCamera(Camera camera);
    /// Where a point of the world is in this widget, logical pixels (for handles and tests).
    [[nodiscard]] QPointF widgetPoint(double xMm, double yMm, double zMm) const;

    [[nodiscard]] QSize sizeHint() const override { return {320, 260}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 140}; }

  signals:
    void gridDragged(const gantry::VolumeGrid& grid, bool isFinal);
    void detectorOffsetDragged(double uMm, double vMm, bool isFinal);
    void unavailable(const QString& sentence);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
