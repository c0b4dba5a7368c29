#include "ui/scene/schematic/schematic_camera.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/scene/box_outline.h"
#include "ui/scene/schematic/schematic_scale.h"

namespace gantry {

namespace {

// Leaves room for the signs beside source and detector.
constexpr double kBeyondForSigns = 1.08;

// Points that enclose everything a turn of the gantry covers. beyond: factor by which they lie
// farther out than source and detector
std::vector<Vec3> reachOf(const ScanGeometry& geometry, const VolumeGrid& grid, double beyond = 1) {
    constexpr int kAngles = 36;
    std::vector<Vec3> turning = {drawnPose(geometry, 0).sourceMm};
    for (const Vec3 corner : detectorCorners(geometry, 0))
        turning.push_back(corner);
    const auto corners = boxCorners(grid);
    std::vector<Vec3> reach(corners.begin(), corners.end());
    for (const double end : {-1, 1})
        reach.push_back({0, 0, end * axisReachMm(geometry)});
    for (const Vec3 point : turning)
        for (int i = 0; i < kAngles; ++i) {
            const double angle = 2 * kPi * i / kAngles;
            const double radius = beyond * std::hypot(point.x, point.y);
            reach.push_back({radius * std::cos(angle), radius * std::sin(angle), point.z});
        }
    return reach;
}

bool isSeenWhole(const std::vector<Vec3>& points, const OrbitCamera& camera, QSizeF view) {
    constexpr double kMargin = 0.03;
    const double margin = kMargin * std::min(view.width(), view.height());
    const QRectF inside = QRectF({}, view).adjusted(margin, margin, -margin, -margin);
    return std::ranges::all_of(points, [&](Vec3 point) {
        return camera.depthMm(point) > 0 && inside.contains(camera.viewPoint(point, view));
    });
}

bool leavesOne(std::span<const QRectF> rooms, const std::vector<Vec3>& reach,
               const OrbitCamera& camera, QSizeF view) {
    ViewParts parts(camera, view);
    parts.addHull(reach);
    return rooms.empty() ||
           std::ranges::any_of(rooms, [&](const QRectF& room) { return !parts.touches(room); });
}

}  // namespace

ViewParts drawnParts(const SchematicShape& shape, const OrbitCamera& camera, QSizeF view) {
    ViewParts parts(camera, view);
    parts.addLines(shape.fine);
    parts.addLines(shape.strong);
    parts.addTriangles(shape.solids);
    parts.addTriangles(shape.faces);
    return parts;
}

std::optional<ViewParts> drawnReach(const ScanGeometry& geometry, const VolumeGrid& grid,
                                    const OrbitCamera& camera, QSizeF view) {
    if (!isSeenWhole(reachOf(geometry, grid), camera, view)) return std::nullopt;
    ViewParts parts(camera, view);
    parts.addHull(reachOf(geometry, grid, kBeyondForSigns));
    return parts;
}

OrbitCamera fitted(OrbitCamera camera, const ScanGeometry& geometry, const VolumeGrid& grid,
                   QSizeF view, std::span<const QRectF> rooms) {
    constexpr double kScaleStep = 1.1;
    constexpr int kMaxSteps = 40;
    constexpr int kMaxForWords = 5;
    const std::vector<Vec3> reach = reachOf(geometry, grid);
    const std::vector<Vec3> reachOfSigns = reachOf(geometry, grid, kBeyondForSigns);
    double farthest = 1e-6;
    for (const Vec3 point : reach)
        farthest = std::max(farthest, length(point));
    const double steps = std::floor(std::log(farthest / 2) / std::log(kScaleStep));
    std::optional<int> whole;
    for (int i = 0; i < kMaxSteps; ++i) {
        camera.radiusMm = std::pow(kScaleStep, steps + i);
        if (!isSeenWhole(reach, camera, view)) continue;
        if (!whole) whole = i;
        if (leavesOne(rooms, reachOfSigns, camera, view)) return camera;
        if (i == *whole + kMaxForWords) break;
    }
    camera.radiusMm = std::pow(kScaleStep, steps + whole.value_or(kMaxSteps - 1));
    return camera;
}

OrbitCamera cameraInSource(const ScanGeometry& geometry, Index view) {
    constexpr double kBeside = 1.3;
    const ViewPose pose = drawnPose(geometry, view);
    double half = 0;
    for (const Vec3 corner : detectorCorners(geometry, view))
        half = std::max(half, length(corner - pose.detectorCenterMm));
    const SourceDistances source = sourceDistances(geometry);
    OrbitCamera camera;
    camera.azimuthDeg = std::remainder(geometry.angleDeg(view), 360);
    camera.angleDeg =
        std::clamp(degrees(2 * std::atan(kBeside * half / source.toDetectorMm)), 2.0, 120.0);
    camera.radiusMm = source.toIsocenterMm * std::sin(radians(camera.angleDeg) / 2);
    return camera;
}

}  // namespace gantry
