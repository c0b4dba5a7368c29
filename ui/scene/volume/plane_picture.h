#pragma once

#include <QImage>
#include <optional>
#include <span>

#include "ui/scene/orbit_camera.h"

namespace gantry {

/// An opaque picture in the scene, such as a slice of the volume.
struct PlanePicture {
    Vec3 cornerMm;  ///< of its lower left pixel, the outer one
    Vec3 alongMm;   ///< from there to the lower right corner
    Vec3 upMm;      ///< and to the upper left one, perpendicular to `alongMm`
    QImage image;   ///< row 0 at the top
    friend bool operator==(const PlanePicture&, const PlanePicture&) = default;
};

/// The first plane on a camera ray.
struct PlaneHit {
    double distanceMm;  ///< from the line's origin
    QRgb colour;
};
/// Tests: tests/ui/scene/plane_picture_test.cpp
[[nodiscard]] std::optional<PlaneHit> firstHit(std::span<const PlanePicture> planes,
                                               const ViewRay& viewRay);

}  // namespace gantry
