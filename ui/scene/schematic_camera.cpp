#include "ui/scene/schematic_camera.h"

#include <QRectF>
#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/scene/box_outline.h"
#include "ui/scene/schematic_shape.h"

namespace gantry {

namespace {

// Where source, detector and volume come to in a turn of the gantry.
std::vector<Vec3> reachOf(const ScanGeometry& geometry, const VolumeGrid& grid) {
    constexpr int kAngles = 24;
    std::vector<Vec3> turning = {viewPose(geometry, 0).sourceMm};
    for (const Vec3 corner : detectorCorners(geometry, 0))
        turning.push_back(corner);
    const auto corners = boxCorners(grid);
    std::vector<Vec3> reach(corners.begin(), corners.end());
    for (const Vec3 point : turning)
        for (int i = 0; i < kAngles; ++i) {
            const double angle = 2 * kPi * i / kAngles;
            const double radius = std::hypot(point.x, point.y);
            reach.push_back({radius * std::cos(angle), radius * std::sin(angle), point.z});
        }
    return reach;
}

}  // namespace

OrbitCamera fitted(OrbitCamera camera, const ScanGeometry& geometry, const VolumeGrid& grid,
                   QSizeF view) {
    constexpr double kScaleStep = 1.1;
    constexpr double kMargin = 0.03;
    constexpr int kMostSteps = 40;
    const QRectF whole({}, view);
    const double margin = kMargin * std::min(view.width(), view.height());
    const QRectF inside = whole.adjusted(margin, margin, -margin, -margin);
    const std::vector<Vec3> reach = reachOf(geometry, grid);
    double farthest = 1e-6;
    for (const Vec3 point : reach)
        farthest = std::max(farthest, length(point));
    const double steps = std::floor(std::log(farthest / 2) / std::log(kScaleStep));
    for (int i = 0; i < kMostSteps; ++i) {
        camera.radiusMm = std::pow(kScaleStep, steps + i);
        const bool isWhole = std::all_of(reach.begin(), reach.end(), [&](Vec3 point) {
            return camera.depthMm(point) > 0 && inside.contains(camera.viewPoint(point, view));
        });
        if (isWhole) break;
    }
    return camera;
}

OrbitCamera cameraInSource(const ScanGeometry& geometry, Index view) {
    constexpr double kBeside = 1.3;
    const ViewPose pose = viewPose(geometry, view);
    double half = 0;
    for (const Vec3 corner : detectorCorners(geometry, view))
        half = std::max(half, length(corner - pose.detectorCenterMm));
    OrbitCamera camera;
    camera.azimuthDeg = std::remainder(geometry.angleDeg(view), 360);
    camera.angleDeg = std::clamp(
        degrees(2 * std::atan(kBeside * half / geometry.sourceToDetectorMm)), 2.0, 120.0);
    camera.radiusMm = geometry.sourceToIsocenterMm * std::sin(radians(camera.angleDeg) / 2);
    return camera;
}

}  // namespace gantry
