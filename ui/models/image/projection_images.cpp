#include "ui/models/image/projection_images.h"

#include <cmath>

#include "ui/models/image/compared_images.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

ProjectionPicture picture(std::shared_ptr<const FloatImage> image, const QString& unit,
                          double pixelAspect, bool firstRowIsBottom) {
    ProjectionPicture result;
    GreyImage& grey = result.image;
    grey.pixels = image->pixels.span();
    grey.columns = image->columns;
    grey.rows = image->rows;
    grey.firstRowIsBottom = firstRowIsBottom;
    grey.pixelAspect = pixelAspect;
    grey.unit = unit;
    grey.owner = std::move(image);
    result.histogram = histogramOf(grey.pixels);
    result.automatic = autoWindow(grey.pixels);
    return result;
}

}  // namespace

QString unitOf(ProjectionStep step, ProjectionKind kind) {
    switch (step) {
        case ProjectionStep::stored:
            return kind == ProjectionKind::counts ? QStringLiteral("counts") : QString();
        case ProjectionStep::corrected:
        case ProjectionStep::residual:
            return {};
        case ProjectionStep::filtered:
            break;
    }
    return QStringLiteral("mm");
}

ProjectionPicture viewPicture(FloatImage image, ProjectionStep step, const ScanFile& scan) {
    const auto& pitch = scan.geometry.detector.pitchMm;
    const double aspect = pitch[0] > 0 && pitch[1] > 0 ? pitch[1] / pitch[0] : 1;
    return picture(std::make_shared<FloatImage>(std::move(image)),
                   unitOf(step, scan.projections.kind), aspect, true);
}

ProjectionPicture residualPicture(FloatImage image, const ScanFile& scan) {
    ProjectionPicture result = viewPicture(std::move(image), ProjectionStep::residual, scan);
    result.image.isDifference = true;
    result.automatic = differenceWindow(result.image);
    return result;
}

ProjectionPicture sinogramPicture(std::shared_ptr<const FloatImage> sinogram, ProjectionStep step,
                                  const ScanFile& scan) {
    constexpr double kHeightOverWidth = 0.75;
    const double aspect = sinogram->rows > 0
                              ? kHeightOverWidth * static_cast<double>(sinogram->columns) /
                                    static_cast<double>(sinogram->rows)
                              : 1;
    return picture(std::move(sinogram), unitOf(step, scan.projections.kind), aspect, false);
}

std::vector<double> rowOf(const GreyImage& image, Index row) {
    if (row < 0 || row >= image.rows || image.isEmpty()) return {};
    const auto pixels = image.pixels.subspan(row * image.columns, image.columns);
    return {pixels.begin(), pixels.end()};
}

QString viewText(const ScanGeometry& geometry, Index view) {
    return QStringLiteral("view %1 %2").arg(view).arg(afterViewText(geometry, view));
}

QString afterViewText(const ScanGeometry& geometry, Index view) {
    return QStringLiteral("of 0–%1, %2°")
        .arg(geometry.views() - 1)
        .arg(QString::number(geometry.angleDeg(view), 'f', 1).replace('-', QChar(0x2212)));
}

QString valueText(double value, const QString& unit) {
    QString text = numberText(value);
    if (!text.contains('e')) text.replace('-', QChar(0x2212));
    return unit.isEmpty() ? text : text + ' ' + unit;
}

QString pointText(QPointF pixel, double value, const QString& unit) {
    if (std::isnan(value)) return {};
    return QStringLiteral("u %1  v %2  %3")
        .arg(pixel.x(), 0, 'f', 1)
        .arg(pixel.y(), 0, 'f', 1)
        .arg(valueText(value, unit));
}

QString sinogramPointText(QPointF pixel, double value, const QString& unit) {
    if (std::isnan(value)) return {};
    return QStringLiteral("u %1  view %2  %3")
        .arg(pixel.x(), 0, 'f', 1)
        .arg(std::lround(pixel.y()))
        .arg(valueText(value, unit));
}

}  // namespace gantry
