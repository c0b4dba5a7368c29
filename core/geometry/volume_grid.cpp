#include "core/geometry/volume_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/throw_error.h"
#include "core/geometry/views/ray_cover.h"

namespace gantry {

Vec3 VolumeGrid::positionMm(double x, double y, double z) const {
    const auto along = [&](std::size_t axis, double index) {
        return (index - (static_cast<double>(voxels[axis]) - 1) / 2) * pitchMm[axis] +
               centerMm[axis];
    };
    return {along(0, x), along(1, y), along(2, z)};
}

VolumeGrid VolumeGrid::slab(IndexRange slices) const {
    VolumeGrid part = *this;
    part.voxels[2] = slices.size();
    part.centerMm[2] = positionMm(0, 0, static_cast<double>(slices.begin + slices.end - 1) / 2).z;
    return part;
}

VolumeGrid coarsened(const VolumeGrid& grid, Index factor) {
    VolumeGrid coarse = grid;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        coarse.voxels[axis] = (grid.voxels[axis] + factor - 1) / factor;
        coarse.pitchMm[axis] *= static_cast<double>(factor);
        // A cut block at the end counts as whole, which moves the middle.
        const Index added = coarse.voxels[axis] * factor - grid.voxels[axis];
        coarse.centerMm[axis] += static_cast<double>(added) * grid.pitchMm[axis] / 2;
    }
    return coarse;
}

namespace {

// Where the rays to the middles of the detector's edges cross the plane through the rotation axis
// that is parallel to the gantry's u and v; measured from the axis and from the isocentre's height.
struct EdgeRays {
    double left;
    double right;
    double bottom;
    double top;
};

EdgeRays edgeRays(const ScanGeometry& geometry) {
    const ViewPose pose = viewPoseAt(geometry, 0);  // u, n, v of the gantry are x, y, z
    const auto crossing = [&](double stepsU, double stepsV) {
        const Vec3 pixel = pose.detectorCenterMm + stepsU * pose.uStepMm + stepsV * pose.vStepMm;
        if (pose.isParallel) return pixel + (-pixel.y / pose.sourceMm.y) * pose.sourceMm;
        const Vec3 ray = pixel - pose.sourceMm;
        return pose.sourceMm + (-pose.sourceMm.y / ray.y) * ray;
    };
    const double halfU = static_cast<double>(geometry.detector.columns) / 2;
    const double halfV = static_cast<double>(geometry.detector.rows) / 2;
    return {crossing(-halfU, 0).x, crossing(halfU, 0).x, crossing(0, -halfV).z,
            crossing(0, halfV).z};
}

// How far from the axis the rays to the edges pass it, on both sides.
void setRadii(const ScanGeometry& geometry, double onLeft, double onRight, FieldOfView& field) {
    if (!(onLeft > 0 && onRight > 0)) return;
    field.everyViewMm = std::min(onLeft, onRight);
    field.radiusMm =
        RayCover(geometry).reachesToFartherEdge() ? std::max(onLeft, onRight) : field.everyViewMm;
}

FieldOfView fieldOf(const CircularCone& cone, const ScanGeometry& geometry) {
    const EdgeRays rays = edgeRays(geometry);
    // Distance from the axis of the ray that crosses its plane at x.
    const double sod = cone.sourceToIsocenterMm;
    const auto reach = [&](double x) {
        return sod * x / std::hypot(sod, x - cone.sourceOffsetMm[0]);
    };
    FieldOfView field;
    const double onLeft = -reach(rays.left);
    const double onRight = reach(rays.right);
    setRadii(geometry, onLeft, onRight, field);
    field.zMinMm = rays.bottom;
    field.zMaxMm = rays.top;
    return field;
}

FieldOfView fieldOf(const ParallelBeam&, const ScanGeometry& geometry) {
    const EdgeRays rays = edgeRays(geometry);
    FieldOfView field;
    setRadii(geometry, -rays.left, rays.right, field);
    field.zMinMm = rays.bottom;
    field.zMaxMm = rays.top;
    return field;
}

// The field of view of the mean circle, whose axis hardly leans.
FieldOfView fieldOf(const CalibratedPoses& poses, const ScanGeometry& geometry) {
    const ScanGeometry circle = meanCircleOf(geometry);
    FieldOfView field = fieldOf(circle.cone(), circle);
    const MeanCircle& mean = poses.meanCircle();
    const double middle = (field.zMinMm + field.zMaxMm) / 2;
    const Vec3 at = mean.centerMm + middle * mean.axes[2];
    field.centerMm = {at.x, at.y};
    return field;
}

// A corner is √2 times as far from the middle as a side.
double widestMm(const CircularCone& cone) {
    return 2 * 0.7 * cone.sourceToIsocenterMm;
}

double widestMm(const ParallelBeam&) {
    return std::numeric_limits<double>::infinity();
}

double widestMm(const CalibratedPoses& poses) {
    double nearest = poses.meanCircle().mean.sourceToAxisMm;
    for (const PoseParameters& view : poses.meanCircle().views)
        nearest = std::min(nearest, view.sourceToAxisMm);
    return 2 * 0.7 * nearest;
}

}  // namespace

FieldOfView fieldOfView(const ScanGeometry& geometry) {
    return std::visit([&](const auto& kind) { return fieldOf(kind, geometry); },
                      geometry.trajectory);
}

VolumeGrid fitGrid(const ScanGeometry& geometry, Index voxelsAlongX, double widthMm) {
    const FieldOfView field = fieldOfView(geometry);
    if (!(field.radiusMm > 0))
        throwErrorOf<FieldError>("detector.offsetMm[0]",
                                 "at {} mm the rotation axis falls outside the detector, so "
                                 "that no volume can be fitted",
                                 geometry.detector.offsetMm[0]);
    const double widest =
        std::visit([](const auto& kind) { return widestMm(kind); }, geometry.trajectory);
    if (widthMm > widest)
        throwErrorOf<FieldError>(
            "prep.fieldOfViewMm",
            "{:.6g} mm is too wide: beyond {:.6g} mm the volume's corners reach "
            "the source's orbit",
            widthMm, widest);
    const double across = widthMm > 0 ? widthMm : std::min(2 * field.radiusMm, widest);
    const double pitch = voxelsAlongX > 0 ? across / static_cast<double>(voxelsAlongX)
                                          : geometry.detector.pitchMm[0] / geometry.magnification();
    const auto count = [&](const char* axis, double length) {
        // Rounding must not reduce a whole number.
        const double voxels = std::max(1.0, std::floor(length / pitch + 1e-6));
        if (!(voxels <= kMaxVoxels))
            throwErrorOf<FieldError>(
                "volume.voxels",
                "the field of view needs {:.0f} voxels of {:.4g} mm along {}, and at "
                "most {} are allowed; give the number of voxels and their pitch",
                voxels, pitch, axis, kMaxVoxels);
        return static_cast<Index>(voxels);
    };
    VolumeGrid grid;
    const Index nXY = count("x and y", across);
    grid.voxels = {nXY, nXY, count("z", field.zMaxMm - field.zMinMm)};
    grid.pitchMm = {pitch, pitch, pitch};
    grid.centerMm = {field.centerMm[0], field.centerMm[1], (field.zMinMm + field.zMaxMm) / 2};
    return grid;
}

}  // namespace gantry
