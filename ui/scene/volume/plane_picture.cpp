#include "ui/scene/volume/plane_picture.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

std::optional<PlaneHit> hitOf(const PlanePicture& plane, const ViewRay& viewRay) {
    const Vec3 normal = cross(plane.alongMm, plane.upMm);
    const double rise = dot(normal, viewRay.direction);
    if (std::abs(rise) < 1e-12 * length(normal) || plane.image.isNull()) return std::nullopt;
    const double distance = dot(normal, plane.cornerMm - viewRay.originMm) / rise;
    if (distance < 0) return std::nullopt;
    const Vec3 place = viewRay.originMm + distance * viewRay.direction - plane.cornerMm;
    const double across = dot(place, plane.alongMm) / dot(plane.alongMm, plane.alongMm);
    const double up = dot(place, plane.upMm) / dot(plane.upMm, plane.upMm);
    if (across < 0 || across > 1 || up < 0 || up > 1) return std::nullopt;
    const int columns = plane.image.width();
    const int rows = plane.image.height();
    return PlaneHit{distance,
                    plane.image.pixel(std::min(static_cast<int>(across * columns), columns - 1),
                                      std::min(static_cast<int>((1 - up) * rows), rows - 1))};
}

}  // namespace

std::optional<PlaneHit> firstHit(std::span<const PlanePicture> planes, const ViewRay& viewRay) {
    std::optional<PlaneHit> first;
    for (const PlanePicture& plane : planes) {
        const auto hit = hitOf(plane, viewRay);
        if (hit && (!first || hit->distanceMm < first->distanceMm)) first = hit;
    }
    return first;
}

}  // namespace gantry
