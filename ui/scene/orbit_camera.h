#pragma once

#include <QPointF>
#include <QSizeF>

#include "core/geometry/vec3.h"

namespace gantry {

/// A ray from the camera: origin + t · direction, direction of length 1.
struct ViewRay {
    Vec3 originMm;
    Vec3 direction;
};

/// A camera that turns about a point with the rotation axis upright. At azimuth θ and elevation 0
/// it is where the source is at gantry angle θ. Perspective; at zoom 1 it shows the whole of a
/// sphere of `radiusMm` about the focus. View points are in pixels from the view's top left corner.
/// Tests: tests/ui/scene/orbit_camera_test.cpp
struct OrbitCamera {
    Vec3 focusMm;
    double radiusMm = 1;
    double azimuthDeg = 0;
    double elevationDeg = 0;
    double zoom = 1;
    double angleDeg = 20;  ///< angle of view across the shorter side

    [[nodiscard]] Vec3 towardsEye() const;
    [[nodiscard]] Vec3 right() const;
    [[nodiscard]] Vec3 up() const { return cross(towardsEye(), right()); }
    [[nodiscard]] double distanceMm() const;
    [[nodiscard]] Vec3 eyeMm() const { return focusMm + distanceMm() * towardsEye(); }
    /// Angle of view from the bottom to the top of a view of that size.
    [[nodiscard]] double verticalAngleDeg(QSizeF view) const;

    [[nodiscard]] QPointF viewPoint(Vec3 positionMm, QSizeF view) const;
    /// Distance from the eye's plane; not positive behind the eye.
    [[nodiscard]] double depthMm(Vec3 positionMm) const;
    /// Nearer parts are not drawn: they would hide everything else, such as the source with the eye
    /// in it.
    [[nodiscard]] double minDepthMm() const;
    [[nodiscard]] ViewRay viewRay(QPointF viewPoint, QSizeF view) const;
    /// Length in the world of a pixel, at the focus.
    [[nodiscard]] double mmPerPixel(QSizeF view) const;

    /// Turns the camera as a drag by that many pixels does: the whole height is half a turn.
    void orbit(QPointF pixels, QSizeF view);
    void pan(QPointF pixels, QSizeF view);
    void zoomBy(double factor);

    friend bool operator==(const OrbitCamera&, const OrbitCamera&) = default;
};

}  // namespace gantry
