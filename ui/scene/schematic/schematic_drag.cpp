#include "ui/scene/schematic/schematic_drag.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ui/scene/schematic/schematic_scale.h"

namespace gantry {

namespace {

// Nearer to the camera ray than this, a pixel would move too far: three times as far as across it.
constexpr double kMinAngleDeg = 20;
// The detector's plane must be seen better than that, because both directions are dragged at once.
constexpr double kMinPlaneAngleDeg = 25;

Vec3 axisDirection(int axis) {
    return {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
}

Vec3 faceCentre(const VolumeGrid& grid, int axis, int side) {
    const double half = static_cast<double>(grid.voxels[axis]) / 2 * grid.pitchMm[axis];
    const Vec3 centre{grid.centerMm[0], grid.centerMm[1], grid.centerMm[2]};
    return centre + (side * half) * axisDirection(axis);
}

Vec3 gantryU(const ScanGeometry& geometry, Index view) {
    const double angle = radians(geometry.angleDeg(view));
    return {std::cos(angle), std::sin(angle), 0};
}

constexpr Vec3 kGantryV{0, 0, 1};

// From the source to the detector, in the plane of the orbit.
Vec3 gantryNormal(const ScanGeometry& geometry, Index view) {
    const double angle = radians(geometry.angleDeg(view));
    return {-std::sin(angle), std::cos(angle), 0};
}

std::optional<Vec3> crossing(const ViewRay& viewRay, Vec3 pointOfPlane, Vec3 normal) {
    const double approach = dot(viewRay.direction, normal);
    constexpr double kMinApproach = 0.1;
    if (std::abs(approach) < kMinApproach) return {};
    const double t = dot(pointOfPlane - viewRay.originMm, normal) / approach;
    if (t <= 0) return {};
    return viewRay.originMm + t * viewRay.direction;
}

// The point of a line through `point` that is nearest to a camera ray, mm from the point.
double nearestOnLine(Vec3 point, Vec3 along, const ViewRay& viewRay) {
    const double cosine = dot(along, viewRay.direction);
    const Vec3 way = viewRay.originMm - point;
    return (dot(way, along) - cosine * dot(way, viewRay.direction)) / (1 - cosine * cosine);
}

}  // namespace

std::vector<SchematicHandle> schematicHandles(const ScanGeometry& geometry, const VolumeGrid& grid,
                                              Index view, const OrbitCamera& camera) {
    std::vector<SchematicHandle> handles;
    const Vec3 eye = camera.eyeMm();
    const auto angleTo = [&](Vec3 position, Vec3 direction) {
        const Vec3 viewRay = position - eye;
        const double cosine = std::abs(dot(viewRay, direction)) / std::max(length(viewRay), 1e-12);
        return degrees(std::acos(std::min(1.0, cosine)));
    };
    for (int axis = 0; axis < 3; ++axis)
        for (const int side : {-1, 1}) {
            const Vec3 position = faceCentre(grid, axis, side);
            if (angleTo(position, axisDirection(axis)) >= kMinAngleDeg)
                handles.push_back({SchematicHandle::Kind::face, axis, side, position});
        }
    SchematicHandle detector{SchematicHandle::Kind::detector, 0, 0,
                             drawnPose(geometry, view).detectorCenterMm};
    const Vec3 centre = detector.positionMm;
    if (angleTo(centre, gantryNormal(geometry, view)) > 90 - kMinPlaneAngleDeg) {
        const double toU = angleTo(centre, gantryU(geometry, view));
        detector.isAlongU = toU >= angleTo(centre, kGantryV);
        detector.isAlongV = !detector.isAlongU;
    }
    handles.push_back(detector);
    return handles;
}

std::vector<SchematicHandle> handlesApart(const std::vector<SchematicHandle>& handles,
                                          const OrbitCamera& camera, QSizeF view) {
    constexpr double kMinBetween = 20;  // pixels
    const auto isTooNear = [&](const SchematicHandle& handle) {
        const SchematicHandle opposite{handle.kind, handle.axis, -handle.side, {}};
        return std::ranges::any_of(handles, [&](const SchematicHandle& other) {
            if (handle.kind != SchematicHandle::Kind::face || !other.isSame(opposite)) return false;
            const QPointF way = camera.viewPoint(handle.positionMm, view) -
                                camera.viewPoint(other.positionMm, view);
            return std::hypot(way.x(), way.y()) < kMinBetween;
        });
    };
    std::vector<SchematicHandle> apart;
    std::remove_copy_if(handles.begin(), handles.end(), std::back_inserter(apart), isTooNear);
    return apart;
}

VolumeGrid withFaceDragged(const VolumeGrid& grid, const SchematicHandle& face, const ViewRay& from,
                           const ViewRay& to) {
    const auto axis = static_cast<std::size_t>(face.axis);
    const Vec3 along = axisDirection(face.axis);
    const Vec3 centre = faceCentre(grid, face.axis, face.side);
    const double moved = nearestOnLine(centre, along, to) - nearestOnLine(centre, along, from);
    const double pitch = grid.pitchMm[axis];
    const double wished = static_cast<double>(grid.voxels[axis]) + face.side * moved / pitch;
    if (!std::isfinite(wished)) return grid;
    VolumeGrid result = grid;
    result.voxels[axis] =
        static_cast<Index>(std::llround(std::clamp(wished, 1.0, static_cast<double>(kMaxVoxels))));
    const auto grown = static_cast<double>(result.voxels[axis] - grid.voxels[axis]);
    result.centerMm[axis] += face.side * grown * pitch / 2;
    return result;
}

std::optional<QPointF> detectorShift(const ScanGeometry& geometry, Index view,
                                     const SchematicHandle& handle, const ViewRay& from,
                                     const ViewRay& to) {
    const Vec3 centre = drawnPose(geometry, view).detectorCenterMm;
    const Vec3 u = gantryU(geometry, view);
    if (!handle.isAlongU || !handle.isAlongV) {
        const Vec3 along = handle.isAlongU ? u : kGantryV;
        const double moved = nearestOnLine(centre, along, to) - nearestOnLine(centre, along, from);
        if (!std::isfinite(moved)) return {};
        return handle.isAlongU ? QPointF(moved, 0) : QPointF(0, moved);
    }
    const Vec3 normal = gantryNormal(geometry, view);
    const auto start = crossing(from, centre, normal);
    const auto end = crossing(to, centre, normal);
    if (!start || !end) return {};
    const Vec3 way = *end - *start;
    return QPointF(dot(way, u), dot(way, kGantryV));
}

}  // namespace gantry
