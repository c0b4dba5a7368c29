#pragma once

#include <QPointF>
#include <QWidget>
#include <optional>
#include <vector>

#include "ui/panels/slices/measurements.h"
#include "ui/widgets/image/region_handles.h"

class QMouseEvent;

namespace gantry {

class ImageView;

/// The measurements on one slice. It paints them over the slice's view. It handles the left mouse
/// button first, to draw and drag measurements, and leaves all other events to the view.
/// Tests: tests/ui/panels/slices_measuring_test.cpp
class MeasureOverlay : public QWidget {
    Q_OBJECT

  public:
    /// Becomes a child of the view. plane: the plane of an axis-aligned slice, in which regions can
    /// be drawn; none: another slice, without regions
    MeasureOverlay(Measurements& measurements, const std::optional<SlicePlane>& plane,
                   ImageView& view);

    /// Sets the slice's position. raster: the raster of its image; pixels: the voxel grid, for an
    /// axis-aligned slice
    void setPlace(const PlaneRaster& raster, const VolumeGrid& pixels);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    /// The measurement that the left button drags, and the part of it.
    struct Grip {
        SliceMeasure before;               ///< the measurement when the drag began
        std::optional<std::size_t> point;  ///< index of the dragged point
        RegionHandle handle;               ///< the dragged handle of a region
    };

    [[nodiscard]] bool press(const QMouseEvent& event);
    [[nodiscard]] bool move(const QMouseEvent& event);
    [[nodiscard]] bool release(const QMouseEvent& event);
    void setPoint();
    void drag(QPointF at, bool isFinal);

    [[nodiscard]] Vec3 placeAt(QPointF view) const;
    [[nodiscard]] QPointF viewAt(Vec3 place) const;
    [[nodiscard]] QRectF rectangleInView(const SliceMeasure& region) const;
    [[nodiscard]] SliceMeasure drawing() const;
    [[nodiscard]] bool isShown(const SliceMeasure& measurement) const;
    [[nodiscard]] std::optional<Grip> gripAt(QPointF view) const;
    [[nodiscard]] std::optional<Grip> gripOf(const SliceMeasure& measurement, QPointF view) const;
    [[nodiscard]] bool isOnLine(const SliceMeasure& measurement, QPointF view) const;

    void paint(QPainter& painter, const SliceMeasure& measurement, bool isChosen) const;
    void paintLabel(QPainter& painter, const SliceMeasure& measurement) const;

    Measurements& m_measurements;
    std::optional<SlicePlane> m_plane;
    ImageView& m_view;
    PlaneRaster m_raster;
    VolumeGrid m_pixels;
    // The points of an unfinished measurement. The last one follows the pointer.
    std::vector<Vec3> m_newPoints;
    QPointF m_pressed;
    std::optional<Grip> m_grip;
};

}  // namespace gantry
