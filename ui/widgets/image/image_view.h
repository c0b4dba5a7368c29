#pragma once

#include <QElapsedTimer>
#include <QPainterPath>
#include <QRectF>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "ui/models/image/grey_image.h"
#include "ui/widgets/image/region_handles.h"

namespace gantry {

/// A finer piece of an image, painted over it.
struct ImageDetail {
    GreyImage image;
    QRectF place;  ///< in pixels of the image below, edges included
};

/// A grey image for display. Left drags the cross-hair or a handle of the region, right drags
/// window/level, wheel scrolls, Ctrl+wheel zooms at the pointer, middle pans, double click asks to
/// maximise the view. Keys: arrows move the cross-hair or the row line (Shift: by ten), Ctrl+arrows
/// the region (with Shift its right and lower edge) or else the image, Alt+arrows window/level, +
/// and − zoom, 0 fits, PageUp/PageDown scroll, Enter maximises. A bar at the right shows what is
/// black and white, with the unit. Pixel positions are (column, row) of the image's array, centres
/// at whole numbers: the whole image is the rectangle from (−0.5, −0.5) to (columns − 0.5, rows −
/// 0.5). Tests: tests/ui/widgets/image_view_test.cpp
class ImageView : public QWidget {
    Q_OBJECT

  public:
    explicit ImageView(QWidget* parent = nullptr);

    /// Keeps the zoom if the image's size is unchanged.
    void setImage(const GreyImage& image);
    /// Keeps the zoom for any size, and moves pixel `now` of this image to where pixel `before` of
    /// the last one is. An image that was completely visible still is.
    void setImageAt(const GreyImage& image, QPointF before, QPointF now);
    /// Shows an image whose edges lie at `place`, in pixels of the last image: what is on the
    /// screen stays where it is, at the same zoom. staysWhole: but an image that was fitted is
    /// fitted again where it would not be completely visible
    void setImageOver(const GreyImage& image, const QRectF& place, bool staysWhole);
    [[nodiscard]] const GreyImage& image() const { return m_image; }
    /// Shown in this order until the next setImage().
    void setDetails(std::vector<ImageDetail> details);
    /// Sets how many pixels of details a column of the image may have, which limits the zoom.
    void setDetailPerColumn(double pixels) { m_detailPerColumn = pixels; }
    /// The value at a pixel of the image, from a detail where there is one; NaN outside.
    [[nodiscard]] double valueAtPixel(QPointF pixel) const;
    /// The visible part of the image, in pixels.
    [[nodiscard]] QRectF visiblePixels() const;
    /// Screen pixels that a column takes.
    [[nodiscard]] double screenPixelsPerColumn() const;
    void setWindow(const GreyWindow& window);
    [[nodiscard]] const GreyWindow& window() const { return m_window; }
    void setTitle(const QString& text);  ///< in the top left corner
    /// Describes the image, below the title; as a warning if it may be mistaken for another. A long
    /// one is shortened, and is whole in a tool tip: see fittedCaption().
    void setCaption(const QString& text, bool isWarning = false);
    [[nodiscard]] const QString& caption() const { return m_caption; }
    void setPlaceholder(const QString& text);  ///< shown if there is no image
    void setCorner(const QString& text);       ///< in the bottom left corner: "slice 128 of 256"
    [[nodiscard]] const QString& corner() const { return m_corner; }
    void setBusy(bool busy);
    /// Shows a scale bar at the bottom, for a column's width in mm; 0: none.
    void setScale(double columnMm);
    /// Shows lines through a position, in the given colours; none: no cross-hair.
    void setCrosshair(std::optional<QPointF> pixel, QColor vertical = {}, QColor horizontal = {});
    /// Shows only a horizontal line (the row of a profile or sinogram), dragged up and down.
    void setRowLine(std::optional<double> row);
    /// Shows a rectangle with handles (in pixels, edges included), dragged to change; none: no
    /// region.
    void setRegion(std::optional<QRectF> region);
    /// Shows a dashed line, in pixels; an empty path: none.
    void setOutline(const QPainterPath& outline);
    [[nodiscard]] const QPainterPath& outline() const { return m_outline; }
    void fit();
    /// Shows the same part as a view of an image of the same size, at the same zoom.
    void follow(const ImageView& other);
    [[nodiscard]] QPointF viewAt(QPointF pixel) const { return m_placement.viewAt(m_image, pixel); }
    [[nodiscard]] QPointF pixelAt(QPointF view) const { return m_placement.pixelAt(m_image, view); }

    [[nodiscard]] QSize sizeHint() const override { return {360, 300}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {96, 80}; }

  signals:
    void windowEdited(const gantry::GreyWindow& window);
    void crosshairMoved(QPointF pixel);
    void rowLineMoved(double row);
    void regionEdited(QRectF region, bool isFinal);
    void scrolled(int steps);
    void viewportChanged();  ///< another part of the image is visible, or at another zoom; not
                             ///< after follow()
    void hovered(QPointF pixel, double value);  ///< NaN value: outside of the image
    void left();

    void maximiseRequested();

  protected:
    bool event(QEvent* event) override;
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
    enum class Drag { none, crosshair, rowLine, region, window, pan };

    void place(const ImagePlacement& placement);
    void zoomBy(double factor, QPointF at);
    [[nodiscard]] QRectF regionInView() const;
    [[nodiscard]] QPointF inImage(QPointF pixel) const;

    // Input
    [[nodiscard]] RegionHandle handleUnder(QPointF at) const;
    void showCursor(QPointF at);
    void tellHovered(QPointF at);
    void beginLeftDrag(QPointF at);
    void undoFirstPress();
    void dragTo(QPointF at);
    void moveCrosshair(QPointF pixel);
    void moveRowLine(double row);
    void editRegion(const RegionHandle& handle, QPointF distanceInView, bool isFinal);
    void editWindow(double dx, double dy);
    [[nodiscard]] bool pressArrow(QPointF direction, Qt::KeyboardModifiers modifiers);

    // Painting
    [[nodiscard]] const QImage& rendered();
    void renderDetail(const ImageDetail& detail, double ratio);
    void paintCrosshair(QPainter& painter) const;
    void paintOutline(QPainter& painter) const;
    void paintRegion(QPainter& painter) const;
    void paintBar(QPainter& painter) const;
    void paintScale(QPainter& painter) const;
    [[nodiscard]] QRect textPlace() const;
    [[nodiscard]] QRect captionPlace() const;
    void paintTexts(QPainter& painter) const;
    void paintBusy(QPainter& painter) const;
    void paintEmpty(QPainter& painter) const;

    GreyImage m_image;
    std::vector<ImageDetail> m_details;
    double m_detailPerColumn = 1;
    GreyWindow m_window;
    ImagePlacement m_placement;
    bool m_isFitted = true;
    QString m_title;
    QString m_caption;
    bool m_isCaptionWarning = false;
    QString m_placeholder;
    QString m_corner;
    double m_columnMm = 0;
    std::optional<QPointF> m_crosshair;
    std::array<QColor, 2> m_crosshairColours;
    std::optional<double> m_rowLine;
    std::optional<QRectF> m_region;
    QPainterPath m_outline;

    QTimer m_busyTimer;
    int m_busyTicks = 0;
    QImage m_rendered;  // kept until its content changes
    bool m_isRendered = false;

    Drag m_drag = Drag::none;
    Qt::MouseButton m_dragButton = Qt::NoButton;
    QPointF m_dragFrom;
    ImagePlacement m_dragPlacement;
    GreyWindow m_dragWindow;
    QRectF m_dragRegion;
    RegionHandle m_dragHandle;
    // The state that the first press of a double click has changed.
    std::optional<QPointF> m_crosshairBefore;
    std::optional<double> m_rowLineBefore;
    QElapsedTimer m_sincePress;
    int m_wheelRest = 0;  // of a wheel finer than one notch, 1/8 degree
};

}  // namespace gantry
