#pragma once

#include <QPointF>
#include <QWidget>
#include <optional>

#include "ui/models/image/plane_raster.h"

class QMouseEvent;

namespace gantry {

class ImageView;
class Measurements;

/// The line in which the oblique slice cuts an axial or a coronal one: painted upon its view, with
/// two handles that turn it about the cross-hair (Shift: in steps of 15°). A measuring tool comes
/// first; all else is the view's.
/// Tests: tests/ui/panels/slices_oblique_test.cpp
class ObliqueLine : public QWidget {
    Q_OBJECT

  public:
    /// A child of the view. measurements: keep the angles, and the tool
    ObliqueLine(Measurements& measurements, SliceAxis slice, ImageView& view);

    /// raster: of the view's slice
    void setPlace(const PlaneRaster& raster, Vec3 throughMm);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    [[nodiscard]] bool takeMouse(const QMouseEvent& event);
    void dragTo(const QMouseEvent& event, bool isFinal);
    [[nodiscard]] QPointF viewAt(Vec3 placeMm) const;
    /// From the cross-hair, to the handle at the line's upper end; none: no line is seen.
    [[nodiscard]] std::optional<QPointF> toHandle() const;
    /// 1: the upper handle, −1: the lower one, 0: none.
    [[nodiscard]] int handleAt(QPointF at) const;

    Measurements& m_measurements;
    SliceAxis m_slice;
    ImageView& m_view;
    PlaneRaster m_raster;
    Vec3 m_throughMm;
    int m_held = 0;  ///< which handle
    bool m_wasDragged = false;
};

}  // namespace gantry
