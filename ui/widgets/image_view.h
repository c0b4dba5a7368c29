#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>
#include <optional>

#include "ui/models/grey_image.h"

namespace gantry {

/// A grey image to be looked at. Left drags the cross-hair or a handle of the region, right drags
/// window/level, wheel scrolls, Ctrl+wheel zooms at the pointer, middle pans, double click asks to
/// be maximised. Keys: arrows move the cross-hair, + and − zoom, 0 fits, PageUp/PageDown scroll.
/// Pixel positions are (column, row) of the image's array, centres at whole numbers.
/// Tests: tests/ui/widgets/image_view_test.cpp
class ImageView : public QWidget {
    Q_OBJECT

  public:
    explicit ImageView(QWidget* parent = nullptr);

    /// The zoom is kept while the image's size stays.
    void setImage(const GreyImage& image);
    [[nodiscard]] const GreyImage& image() const { return m_image; }
    void setWindow(const GreyWindow& window);
    [[nodiscard]] const GreyWindow& window() const { return m_window; }
    void setTitle(const QString& text);        ///< in the top left corner
    void setPlaceholder(const QString& text);  ///< where there is no image
    void setCorner(const QString& text);       ///< in the bottom left corner: "slice 128 of 256"
    void setBusy(bool busy);
    /// Lines through a position, in the given colours; none: no cross-hair.
    void setCrosshair(std::optional<QPointF> pixel, QColor vertical = {}, QColor horizontal = {});
    /// A horizontal line only (the row of a profile or sinogram), dragged up and down.
    void setRowLine(std::optional<double> row);
    /// A rectangle with handles (in pixels, edges included), dragged to change; none: no region.
    void setRegion(std::optional<QRectF> region);
    void fit();
    [[nodiscard]] QPointF viewAt(QPointF pixel) const;

    [[nodiscard]] QSize sizeHint() const override { return {360, 300}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {96, 80}; }

  signals:
    void windowEdited(const gantry::GreyWindow& window);
    void crosshairMoved(QPointF pixel);
    void rowLineMoved(double row);
    void regionEdited(QRectF region, bool isFinal);
    void scrolled(int steps);
    void hovered(QPointF pixel, double value);  ///< NaN value: outside of the image
    void left();
    void maximiseRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    GreyImage m_image;
    GreyWindow m_window;
    ImagePlacement m_placement;
    bool m_isFitted = true;
    QString m_title;
    QString m_placeholder;
    QString m_corner;
    bool m_busy = false;
    std::optional<QPointF> m_crosshair;
    QColor m_crosshairColours[2];
    std::optional<double> m_rowLine;
    std::optional<QRectF> m_region;
};

}  // namespace gantry
