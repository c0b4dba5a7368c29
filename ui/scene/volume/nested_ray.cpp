#include "ui/scene/volume/nested_ray.h"

#include "ui/scene/volume/voxel_ray.h"

namespace gantry {

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
