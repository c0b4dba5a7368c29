#include "ui/scene/orbit_camera.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {
constexpr double kMinZoom = 0.1;
constexpr double kMaxZoom = 40;

// Pixels per unit of tangent.
double focalPixels(const OrbitCamera& camera, QSizeF view) {
    const double half = std::tan(radians(camera.angleDeg) / 2);
    return std::max(1.0, std::min(view.width(), view.height())) / 2 / half;
}
}  // namespace

Vec3 OrbitCamera::towardsEye() const {
    const double azimuth = radians(azimuthDeg);
    const double elevation = radians(elevationDeg);
    return {std::cos(elevation) * std::sin(azimuth), -std::cos(elevation) * std::cos(azimuth),
            std::sin(elevation)};
}

Vec3 OrbitCamera::right() const {
    const double azimuth = radians(azimuthDeg);
    return {std::cos(azimuth), std::sin(azimuth), 0};
}

double OrbitCamera::distanceMm() const {
    return radiusMm / std::sin(radians(angleDeg) / 2) / zoom;
}

double OrbitCamera::verticalAngleDeg(QSizeF view) const {
    return degrees(2 * std::atan(std::max(1.0, view.height()) / 2 / focalPixels(*this, view)));
}

double OrbitCamera::depthMm(Vec3 positionMm) const {
    return dot(eyeMm() - positionMm, towardsEye());
}

double OrbitCamera::minDepthMm() const {
    constexpr double kShare = 0.1;
    return kShare * distanceMm();
}

QPointF OrbitCamera::viewPoint(Vec3 positionMm, QSizeF view) const {
    const Vec3 fromEye = positionMm - eyeMm();
    const double depth = std::max(depthMm(positionMm), 1e-6 * distanceMm());
    const double scale = focalPixels(*this, view) / depth;
    return {view.width() / 2 + scale * dot(fromEye, right()),
            view.height() / 2 - scale * dot(fromEye, up())};
}

ViewRay OrbitCamera::viewRay(QPointF viewPoint, QSizeF view) const {
    const double focal = focalPixels(*this, view);
    const double x = (viewPoint.x() - view.width() / 2) / focal;
    const double y = (view.height() / 2 - viewPoint.y()) / focal;
    const Vec3 along = x * right() + y * up() - towardsEye();
    return {eyeMm(), (1 / length(along)) * along};
}

double OrbitCamera::mmPerPixel(QSizeF view) const {
    return distanceMm() / focalPixels(*this, view);
}

void OrbitCamera::orbit(QPointF pixels, QSizeF view) {
    const double degreesPerPixel = 180 / std::max(1.0, view.height());
    azimuthDeg = std::remainder(azimuthDeg - degreesPerPixel * pixels.x(), 360);
    elevationDeg = std::clamp(elevationDeg + degreesPerPixel * pixels.y(), -90.0, 90.0);
}

void OrbitCamera::pan(QPointF pixels, QSizeF view) {
    const double scale = mmPerPixel(view);
    focusMm = focusMm - (scale * pixels.x()) * right() + (scale * pixels.y()) * up();
}

void OrbitCamera::zoomBy(double factor) {
    zoom = std::clamp(zoom * factor, kMinZoom, kMaxZoom);
}

}  // namespace gantry
