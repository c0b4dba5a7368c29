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

/// The measurements over one slice: painted upon its view, and drawn and dragged with the left
/// button before the view takes it for its cross-hair. All else is the view's.
/// Tests: tests/ui/panels/slices_measuring_test.cpp
class MeasureOverlay : public QWidget {
    Q_OBJECT

  public:
    /// A child of the view. plane: of a plain slice, which regions can be drawn in
    MeasureOverlay(Measurements& measurements, const std::optional<SlicePlane>& plane,
                   ImageView& view);

    /// raster: of the image; pixels: the grid of a plain slice's voxels
    void setPlace(const PlaneRaster& raster, const VolumeGrid& pixels);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    /// What the left button has hold of.
    struct Grip {
        SliceMeasure before;
        std::optional<std::size_t> point;
        RegionHandle handle;  ///< of a region
    };

    [[nodiscard]] bool press(const QMouseEvent& event);
    [[nodiscard]] bool move(const QMouseEvent& event);
    [[nodiscard]] bool release(const QMouseEvent& event);
    void fixPoint();
    void drag(QPointF at, bool isFinal);

    [[nodiscard]] Vec3 placeAt(QPointF view) const;
    [[nodiscard]] QPointF viewAt(Vec3 place) const;
    [[nodiscard]] QRectF rectangleInView(const SliceMeasure& region) const;
    [[nodiscard]] SliceMeasure drawing() const;
    [[nodiscard]] bool isShown(const SliceMeasure& measurement) const;
    [[nodiscard]] std::optional<Grip> gripAt(QPointF view) const;
    [[nodiscard]] std::optional<Grip> gripOf(const SliceMeasure& measurement, QPointF view) const;
    [[nodiscard]] bool isAt(const SliceMeasure& measurement, QPointF view) const;

    void paint(QPainter& painter, const SliceMeasure& measurement, bool isChosen) const;
    void paintLabel(QPainter& painter, const SliceMeasure& measurement) const;

    Measurements& m_measurements;
    std::optional<SlicePlane> m_plane;
    ImageView& m_view;
    PlaneRaster m_raster;
    VolumeGrid m_pixels;
    std::vector<Vec3> m_drawn;  // the last one follows the pointer
    QPointF m_pressed;
    std::optional<Grip> m_grip;
};

}  // namespace gantry
