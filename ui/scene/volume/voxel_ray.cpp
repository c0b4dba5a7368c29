#include "ui/scene/volume/voxel_ray.h"

#include <cmath>

namespace gantry {

VoxelRay::VoxelRay(const VolumeGrid& grid, const ViewRay& viewRay) {
    const Vec3 way = viewRay.originMm - grid.originMm();
    const auto& pitch = grid.pitchMm;
    const double step = *std::min_element(pitch.begin(), pitch.end());
    origin = {way.x / pitch[0], way.y / pitch[1], way.z / pitch[2]};
    direction = step * Vec3{viewRay.direction.x / pitch[0], viewRay.direction.y / pitch[1],
                            viewRay.direction.z / pitch[2]};
    const std::array<double, 3> from = axesOf(origin);
    const std::array<double, 3> along = axesOf(direction);
    for (std::size_t axis = 0; axis < 3; ++axis)
        keepBetween(from[axis], along[axis], -0.5, static_cast<double>(grid.voxels[axis]) - 0.5,
                    begin, end);
}

void VoxelRay::clip(const VolumeGrid& grid, std::span<const HalfSpace> clips) {
    const auto& pitch = grid.pitchMm;
    for (const HalfSpace& half : clips) {
        const Vec3 inward{half.inward.x * pitch[0], half.inward.y * pitch[1],
                          half.inward.z * pitch[2]};
        const double inside =
            dot(half.inward, grid.originMm() - half.pointMm) + dot(inward, origin);
        const double rise = dot(inward, direction);
        if (std::abs(rise) < 1e-12) {
            if (inside < 0) end = -1;
        } else if (rise > 0) {
            begin = std::max(begin, -inside / rise);
        } else {
            end = std::min(end, -inside / rise);
        }
    }
}

void VoxelRay::cutOpen(const VolumeGrid& grid) {
    const std::array<double, 3> from = axesOf(origin);
    const std::array<double, 3> along = axesOf(direction);
    double first = begin;
    double last = end;
    for (const std::size_t axis : {0U, 1U}) {
        const double middle = static_cast<double>(grid.voxels[axis] - 1) / 2;
        const double before = middle - from[axis];
        if (std::abs(along[axis]) < 1e-12) {
            if (before <= 0) return;
        } else if (along[axis] > 0) {
            last = std::min(last, before / along[axis]);
        } else {
            first = std::max(first, before / along[axis]);
        }
    }
    if (first >= last) return;
    gapBegin = first;
    gapEnd = last;
}

}  // namespace gantry
