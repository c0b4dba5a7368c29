#include "ui/scene/volume/voxel_ray.h"

namespace gantry {

VoxelRay::VoxelRay(const VolumeGrid& grid, const ViewRay& viewRay) {
    const Vec3 way = viewRay.originMm - grid.originMm();
    const auto& pitch = grid.pitchMm;
    const double step = *std::ranges::min_element(pitch);
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

RayPieces::RayPieces(std::span<const BoxEnds> boxes, const ViewRay& viewRay, double endMm) {
    struct Ends {
        double begin;
        double end;
    };
    std::array<Ends, kMaxBoxes + 1> inside;  // of each box, along the ray
    inside[0] = {0, endMm};
    std::size_t depth = 0;
    const std::array<double, 3> from = axesOf(viewRay.originMm);
    const std::array<double, 3> along = axesOf(viewRay.direction);
    for (const BoxEnds& box : boxes.first(std::min(boxes.size(), kMaxBoxes))) {
        Ends here = inside[depth];
        for (std::size_t axis = 0; axis < 3; ++axis)
            keepBetween(from[axis], along[axis], box.lowMm[axis], box.highMm[axis], here.begin,
                        here.end);
        if (here.end <= here.begin) break;
        inside[++depth] = here;
    }
    for (std::size_t box = 0; box < depth; ++box)
        m_pieces[m_count++] = {box, inside[box].begin, inside[box + 1].begin};
    m_pieces[m_count++] = {depth, inside[depth].begin, inside[depth].end};
    for (std::size_t box = depth; box-- > 0;)
        m_pieces[m_count++] = {box, inside[box + 1].end, inside[box].end};
}

int regionsBefore(const VolumeGrid& box, const Vec3& eyeMm) {
    const BoxEnds ends = endsOf(box);
    const std::array<double, 3> eye = axesOf(eyeMm);
    std::array<int, 3> side;  // side of the box on which the eye is: 0 below, 2 above
    for (std::size_t axis = 0; axis < 3; ++axis)
        side[axis] = eye[axis] < ends.lowMm[axis] ? 0 : eye[axis] > ends.highMm[axis] ? 2 : -1;
    int flags = 0;
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 3; ++x)
                if (x == side[0] || y == side[1] || z == side[2]) flags |= 1 << (x + 3 * y + 9 * z);
    return flags;
}

}  // namespace gantry
