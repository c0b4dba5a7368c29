#include "ui/scene/box_outline.h"

namespace gantry {

std::array<Vec3, 8> boxCorners(const VolumeGrid& grid) {
    std::array<Vec3, 8> corners;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const auto end = [&](std::size_t axis) {
            return ((i >> axis) & 1U) ? static_cast<double>(grid.voxels[axis]) - 0.5 : -0.5;
        };
        corners[i] = grid.positionMm(end(0), end(1), end(2));
    }
    return corners;
}

std::array<BoxEdge, 12> boxEdges(const VolumeGrid& grid, Vec3 eyeMm) {
    const auto corners = boxCorners(grid);
    const std::array<double, 3> eye = {eyeMm.x, eyeMm.y, eyeMm.z};
    const std::array<double, 3> low = {corners[0].x, corners[0].y, corners[0].z};
    const std::array<double, 3> high = {corners[7].x, corners[7].y, corners[7].z};
    const auto isSeen = [&](std::size_t axis, bool isUpper) {
        return isUpper ? eye[axis] > high[axis] : eye[axis] < low[axis];
    };
    std::array<BoxEdge, 12> edges;
    std::size_t count = 0;
    for (std::size_t along = 0; along < 3; ++along)
        for (std::size_t i = 0; i < corners.size(); ++i) {
            if ((i >> along) & 1U) continue;
            const std::size_t b = (along + 1) % 3;
            const std::size_t c = (along + 2) % 3;
            edges[count++] = {corners[i], corners[i | (std::size_t{1} << along)],
                              isSeen(b, (i >> b) & 1U) || isSeen(c, (i >> c) & 1U)};
        }
    return edges;
}

}  // namespace gantry
