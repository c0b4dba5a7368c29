#include "core/engine/plane_preview.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace gantry {

Vec3 Plane::positionMm(double column, double row) const {
    return originMm + ((column + 0.5) / static_cast<double>(columns)) * alongRowMm +
           ((row + 0.5) / static_cast<double>(rows)) * alongColumnMm;
}

std::array<Plane, 3> orthogonalPlanes(const VolumeGrid& grid, Vec3 throughMm,
                                      Index pixelsAlongLongest) {
    const Index longest = *std::ranges::max_element(grid.voxels);
    const auto pixelsAlong = [&](std::size_t axis) -> Index {
        if (pixelsAlongLongest <= 0) return grid.voxels[axis];
        const double scale = static_cast<double>(pixelsAlongLongest) / static_cast<double>(longest);
        return std::max<Index>(1, std::lround(scale * static_cast<double>(grid.voxels[axis])));
    };
    const Vec3 corner = grid.positionMm(-0.5, -0.5, -0.5);
    const Vec3 edges[3] = {{static_cast<double>(grid.voxels[0]) * grid.pitchMm[0], 0, 0},
                           {0, static_cast<double>(grid.voxels[1]) * grid.pitchMm[1], 0},
                           {0, 0, static_cast<double>(grid.voxels[2]) * grid.pitchMm[2]}};
    const auto plane = [&](Vec3 origin, std::size_t rowAxis, std::size_t columnAxis) {
        return Plane{origin, edges[rowAxis], edges[columnAxis], pixelsAlong(rowAxis),
                     pixelsAlong(columnAxis)};
    };
    return {plane({corner.x, corner.y, throughMm.z}, 0, 1),
            plane({corner.x, throughMm.y, corner.z}, 0, 2),
            plane({throughMm.x, corner.y, corner.z}, 1, 2)};
}

Plane obliquePlane(const VolumeGrid& grid, Vec3 throughMm, double turnDeg, double tiltDeg,
                   Index maxPixels) {
    double edge = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        edge = std::max(edge, static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis]);
    const double pitch = *std::ranges::min_element(grid.pitchMm);
    const Index pixels = std::clamp<Index>(std::lround(edge / pitch), 1, maxPixels);
    const Vec3 row = {std::cos(radians(turnDeg)), std::sin(radians(turnDeg)), 0};
    const double up = std::cos(radians(tiltDeg));
    const Vec3 column = {-up * row.y, up * row.x, std::sin(radians(tiltDeg))};
    return {throughMm - edge / 2 * row - edge / 2 * column, edge * row, edge * column, pixels,
            pixels};
}

PlaneMatrix onPlanePixels(const ProjectionMatrix& matrix, const Plane& plane) {
    const Vec3 first = plane.positionMm(0, 0);
    const Vec3 columnStep = (1 / static_cast<double>(plane.columns)) * plane.alongRowMm;
    const Vec3 rowStep = (1 / static_cast<double>(plane.rows)) * plane.alongColumnMm;
    PlaneMatrix result{};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& row = matrix.m[i];
        const Vec3 normal = {row[0], row[1], row[2]};
        result[i] = {dot(normal, columnStep), dot(normal, rowStep), dot(normal, first) + row[3]};
    }
    return result;
}

std::vector<Span3<const float>> picturesOf(std::span<const Plane> planes, const float* pixels) {
    std::vector<Span3<const float>> pictures;
    for (const Plane& plane : planes) {
        pictures.emplace_back(pixels, 1, plane.rows, plane.columns);
        pixels += plane.columns * plane.rows;
    }
    return pictures;
}

Index pixelCount(std::span<const Plane> planes) {
    Index count = 0;
    for (const Plane& plane : planes) {
        require(plane.columns > 0 && plane.rows > 0, "a plane without pixels was to be rendered");
        count += plane.columns * plane.rows;
    }
    return count;
}

}  // namespace gantry
