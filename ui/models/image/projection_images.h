#pragma once

#include <QPointF>
#include <QString>
#include <memory>
#include <vector>

#include "core/io/scan_file/scan_file.h"
#include "core/scan/view_preview.h"
#include "ui/models/image/grey_image.h"

namespace gantry {

/// The steps of a projection's walk that are looked at.
enum class ProjectionStep { stored, corrected, filtered };
inline constexpr int kProjectionSteps = 3;

/// Of the values of a step: "counts", none of line integrals, and "mm" of filtered ones (times
/// 1/mm² of the back-projection they are attenuation).
/// Tests: tests/ui/models/projection_images_test.cpp
[[nodiscard]] QString unitOf(ProjectionStep step, ProjectionKind kind);

/// An image to be looked at, with what a histogram and an automatic window need.
struct ProjectionPicture {
    GreyImage image;
    Histogram histogram;
    GreyWindow automatic;
};

/// A step's image of a view; its first row is the lowest. Takes some ms for millions of pixels.
[[nodiscard]] ProjectionPicture viewPicture(FloatImage image, ProjectionStep step,
                                            const ScanFile& scan);
/// A sinogram, its first view at the top, stretched to the shape of a projection.
[[nodiscard]] ProjectionPicture sinogramPicture(std::shared_ptr<const FloatImage> sinogram,
                                                ProjectionStep step, const ScanFile& scan);

/// Values of a row, from left to right; none where the image has no such row.
[[nodiscard]] std::vector<double> rowOf(const GreyImage& image, Index row);

/// "view 127 of 0–359, 127.0°"
[[nodiscard]] QString viewText(const ScanGeometry& geometry, Index view);
/// What of that stands behind the view's number: "of 0–359, 127.0°"
[[nodiscard]] QString afterViewText(const ScanGeometry& geometry, Index view);
/// A value with its unit, whole where it is large: "43210 counts", "0.0213 /mm", "−1.2".
[[nodiscard]] QString valueText(double value, const QString& unit);
/// "u 511.5  v 300.0  0.0213 /mm"; empty outside of the image, where the value is not a number.
[[nodiscard]] QString pointText(QPointF pixel, double value, const QString& unit);
/// The same of a sinogram, whose rows are views: "u 511.5  view 128  1.24".
[[nodiscard]] QString sinogramPointText(QPointF pixel, double value, const QString& unit);

}  // namespace gantry
