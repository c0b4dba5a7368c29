#pragma once

#include <QPointF>
#include <QString>
#include <memory>
#include <vector>

#include "core/io/scan_file/scan_file.h"
#include "core/scan/view_preview.h"
#include "ui/models/image/grey_image.h"

namespace gantry {

/// The stages of a projection that can be viewed.
enum class ProjectionStep { stored, corrected, filtered, residual };
inline constexpr int kProjectionSteps = 4;

/// The unit of a stage's values: "counts", none for line integrals and what a volume leaves of
/// them, and "mm" for filtered ones
/// (times 1/mm² of the back-projection they are attenuation). Tests:
/// tests/ui/models/projection_images_test.cpp
[[nodiscard]] QString unitOf(ProjectionStep step, ProjectionKind kind);

/// An image for display, with what a histogram and an automatic window need.
struct ProjectionPicture {
    GreyImage image;
    Histogram histogram;
    GreyWindow automatic;
};

/// A stage's image of a view; its first row is the lowest. Takes some ms for millions of pixels.
[[nodiscard]] ProjectionPicture viewPicture(FloatImage image, ProjectionStep step,
                                            const ScanFile& scan);
/// What a volume does not explain of a view, in colours about zero.
[[nodiscard]] ProjectionPicture residualPicture(FloatImage image, const ScanFile& scan);
/// A sinogram, its first view at the top, stretched to the shape of a projection.
[[nodiscard]] ProjectionPicture sinogramPicture(std::shared_ptr<const FloatImage> sinogram,
                                                ProjectionStep step, const ScanFile& scan);

/// Values of a row, from left to right; none if the image has no such row.
[[nodiscard]] std::vector<double> rowOf(const GreyImage& image, Index row);

/// "view 127 of 0–359, 127.0°"
[[nodiscard]] QString viewText(const ScanGeometry& geometry, Index view);
/// The part of that behind the view's number: "of 0–359, 127.0°"
[[nodiscard]] QString afterViewText(const ScanGeometry& geometry, Index view);
/// A value with its unit, as a whole number if it is large: "43210 counts", "0.0213 /mm", "−1.2".
[[nodiscard]] QString valueText(double value, const QString& unit);
/// "u 511.5  v 300.0  0.0213 /mm"; empty outside of the image, where the value is NaN.
[[nodiscard]] QString pointText(QPointF pixel, double value, const QString& unit);
/// The same for a sinogram, whose rows are views: "u 511.5  view 128  1.24".
[[nodiscard]] QString sinogramPointText(QPointF pixel, double value, const QString& unit);

}  // namespace gantry
