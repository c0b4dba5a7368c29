#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>
#include <QString>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// The values that are shown as black and white.
struct GreyWindow {
    double black = 0;
    double white = 1;
    [[nodiscard]] double width() const { return white - black; }
    [[nodiscard]] double level() const { return (white + black) / 2; }
    friend bool operator==(const GreyWindow&, const GreyWindow&) = default;
};

/// Float pixels for display; shares its memory. [row][column], column fastest.
struct GreyImage {
    std::shared_ptr<const void> owner;  ///< keeps `pixels` alive
    std::span<const float> pixels;
    Index columns = 0;
    Index rows = 0;
    bool firstRowIsBottom = true;
    double pixelAspect = 1;     ///< height of a pixel over its width
    QString unit;               ///< "/mm", "counts", or empty
    bool isDifference = false;  ///< drawn by differenceColour(), not in greys
    bool nanIsOutside = false;  ///< NaN: no pixel, the background is visible

    [[nodiscard]] bool isEmpty() const { return pixels.empty(); }
    [[nodiscard]] float at(Index column, Index row) const { return pixels[row * columns + column]; }
};

/// From blue at the window's black, over white in its middle, to red.
[[nodiscard]] QColor differenceColour(double share);

/// The value at (column, row) as continuous indices; NaN outside of the image.
[[nodiscard]] double valueAt(const GreyImage& image, QPointF pixel);

/// Counts of finite values between two ends.
struct Histogram {
    double low = 0;  ///< lower edge of the first bin
    /// Upper edge of the last bin; above `low` even where all values are the same.
    double high = 1;
    std::vector<Index> bins;
    Index notFinite = 0;
    /// Smallest and largest finite value, where there is any.
    std::optional<std::pair<double, double>> extent = {};
};

/// Bins of equal width from the smallest to the largest finite value; large images are sampled
/// regularly.
/// Tests: tests/ui/models/grey_image_test.cpp
[[nodiscard]] Histogram histogramOf(std::span<const float> pixels, int bins = 256);

/// The window from the 0.5th to the 99.5th percentile; its width is never 0.
[[nodiscard]] GreyWindow autoWindow(std::span<const float> pixels);

/// The window after right-dragging by (dx, dy) pixels, each of which changes it by the same part of
/// its width: to the right it becomes wider, upwards its level rises and the image darker.
[[nodiscard]] GreyWindow draggedWindow(const GreyWindow& window, double dx, double dy);

/// The position of an image in a view: view point = origin + zoom · (column, row from the top) with
/// rows stretched by the pixels' aspect.
struct ImagePlacement {
    double zoom = 1;  ///< view pixels a column
    QPointF origin;   ///< view point of the image's top left corner

    /// The whole image centred in a view of that size.
    [[nodiscard]] static ImagePlacement fitted(const GreyImage& image, QSizeF view);
    /// Zoomed by a factor, with the view point `at` fixed.
    [[nodiscard]] ImagePlacement zoomed(double factor, QPointF at) const;
    /// (column, row) as continuous indices (0 is the first pixel's centre) at a view point.
    [[nodiscard]] QPointF pixelAt(const GreyImage& image, QPointF view) const;
    [[nodiscard]] QPointF viewAt(const GreyImage& image, QPointF pixel) const;
};

/// The part of the image that a view of `size` device pixels shows, black where there is none.
/// Pixels that are not finite are drawn in `notFinite`, except those outside.
[[nodiscard]] QImage render(const GreyImage& image, const GreyWindow& window,
                            const ImagePlacement& placement, QSize size, double devicePixelRatio,
                            QColor background, QColor notFinite);

/// The image in more pixels, interpolated between its own, so that it covers the same area.
/// Tests: tests/ui/models/grey_image_test.cpp
[[nodiscard]] GreyImage enlarged(const GreyImage& image, Index columns, Index rows);

}  // namespace gantry
