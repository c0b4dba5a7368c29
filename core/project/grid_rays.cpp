#include "core/project/grid_rays.h"

#include <cmath>
#include <cstddef>

namespace gantry {

namespace {

std::array<double, 3> components(Vec3 a) {
    return {a.x, a.y, a.z};
}

// A direction in mm, in voxels.
std::array<double, 3> inVoxels(const VolumeGrid& grid, Vec3 mm) {
    std::array<double, 3> voxels = components(mm);
    for (std::size_t i = 0; i < 3; ++i)
        voxels[i] /= grid.pitchMm[i];
    return voxels;
}

// The axis along which the ray makes its largest steps.
int axisOf(const GridRay& ray, bool isUpright) {
    int axis = std::abs(ray.along[0]) >= std::abs(ray.along[1]) ? 0 : 1;
    if (!isUpright && std::abs(ray.along[2]) > std::abs(ray.along[axis])) axis = 2;
    return axis;
}

std::vector<RayFan> fansOf(const GridRays& rays, Index columns, Index rows) {
    std::vector<RayFan> fans;
    const double middle = (static_cast<double>(rows) - 1) / 2;
    for (Index u = 0; u < columns; ++u) {
        const GridRay ray = rays.ray(static_cast<double>(u), middle);
        const int axis = axisOf(ray, rays.isUpright);
        const bool forward = ray.along[axis] > 0;
        if (fans.empty() || fans.back().axis != axis || fans.back().forward != forward)
            fans.push_back({{u, u}, axis, forward});
        fans.back().columns.end = u + 1;
    }
    return fans;
}

bool isUpright(const GridRays& rays) {
    constexpr double kTolerance = 1e-10;
    const GridRay& step = rays.vStep;
    const auto& rise = rays.isParallel ? step.from : step.along;
    const auto& along = rays.corner.along;
    const bool isLevel =
        !rays.isParallel || std::abs(along[2]) <= kTolerance * std::hypot(along[0], along[1]);
    return isLevel && rise[2] > 0 && std::hypot(rise[0], rise[1]) <= kTolerance * rise[2];
}

}  // namespace

GridRay GridRay::moved(double steps, const GridRay& step) const {
    GridRay ray = *this;
    for (std::size_t i = 0; i < 3; ++i) {
        ray.from[i] += steps * step.from[i];
        ray.along[i] += steps * step.along[i];
    }
    return ray;
}

GridRay GridRays::ray(double u, double v) const {
    return corner.moved(u, uStep).moved(v, vStep);
}

void GridRays::planeDistancesMm(const RayFan& fan, Index u, Index rows, float* out) const {
    const GridRay first = corner.moved(static_cast<double>(u), uStep);
    // The square of the ray's length is c[0] + c[1]·v + c[2]·v².
    double c[3] = {0, 0, 0};
    for (std::size_t i = 0; i < 3; ++i) {
        const double a = first.along[i] * pitchMm[i];
        const double b = vStep.along[i] * pitchMm[i];
        c[0] += a * a;
        c[1] += 2 * a * b;
        c[2] += b * b;
    }
    const double sign = fan.forward ? 1 : -1;
    const double planes = sign * first.along[fan.axis];
    const double planesStep = sign * vStep.along[fan.axis];
    for (Index v = 0; v < rows; ++v) {
        const auto row = static_cast<double>(v);
        const double count = planes + planesStep * row;
        const auto square = static_cast<float>(c[0] + (c[1] + c[2] * row) * row);
        out[v] = count > 0 ? std::sqrt(square) / static_cast<float>(count) : 0;
    }
}

GridRays raysOn(const VolumeGrid& grid, const ViewPose& pose, Index columns, Index rows) {
    const Vec3 corner = pose.detectorCenterMm -
                        ((static_cast<double>(columns) - 1) / 2) * pose.uStepMm -
                        ((static_cast<double>(rows) - 1) / 2) * pose.vStepMm;
    const Vec3 origin = grid.originMm();
    GridRays rays;
    rays.pitchMm = grid.pitchMm;
    rays.isParallel = pose.isParallel;
    if (pose.isParallel) {
        rays.corner = {inVoxels(grid, corner - origin), inVoxels(grid, -1 * pose.sourceMm)};
        rays.uStep.from = inVoxels(grid, pose.uStepMm);
        rays.vStep.from = inVoxels(grid, pose.vStepMm);
    } else {
        rays.corner = {inVoxels(grid, pose.sourceMm - origin),
                       inVoxels(grid, corner - pose.sourceMm)};
        rays.uStep.along = inVoxels(grid, pose.uStepMm);
        rays.vStep.along = inVoxels(grid, pose.vStepMm);
    }
    rays.isUpright = isUpright(rays);
    rays.fans = fansOf(rays, columns, rows);
    return rays;
}

ProjectedViews projectedViews(const ScanGeometry& geometry) {
    ProjectedViews views;
    views.columns = geometry.detector.columns;
    views.rows = geometry.detector.rows;
    for (Index s = 0; s < geometry.views(); ++s)
        views.poses.push_back(viewPose(geometry, s));
    return views;
}

}  // namespace gantry
