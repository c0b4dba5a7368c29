#include "ui/models/image/plane_raster.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gantry {
namespace {

// Lines of planes that are more parallel than 10° mean nothing, and jump.
constexpr double kMinSine = 0.17;

Vec3 alongAxis(std::size_t axis, double mm) {
    std::array<double, 3> vector = {};
    vector[axis] = mm;
    return {vector[0], vector[1], vector[2]};
}

// The distance from voxel to voxel: the pitch along an axis, and between the pitches elsewhere.
double stepMm(const VolumeGrid& grid, Vec3 direction) {
    const auto& pitch = grid.pitchMm;
    return 1 / std::hypot(direction.x / pitch[0], direction.y / pitch[1], direction.z / pitch[2]);
}

// The whole steps from the anchor that lie in the volume's box, seen along a direction.
struct Steps {
    double first = 0;
    Index count = 1;
};
Steps stepsAcross(const VolumeGrid& grid, Vec3 anchorMm, Vec3 direction, double step) {
    const auto edgeMm = [&](std::size_t axis) {
        return static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
    };
    const double half = (edgeMm(0) * std::abs(direction.x) + edgeMm(1) * std::abs(direction.y) +
                         edgeMm(2) * std::abs(direction.z)) /
                        2;
    const Vec3 centre{grid.centerMm[0], grid.centerMm[1], grid.centerMm[2]};
    const double middle = dot(centre - anchorMm, direction);
    const double first = std::ceil((middle - half) / step);
    const double last = std::floor((middle + half) / step);
    return {first, std::max<Index>(static_cast<Index>(last - first) + 1, 1)};
}

}  // namespace

Vec3 PlaneRaster::placeMm(QPointF pixel) const {
    return firstMm + pixel.x() * columnStepMm + pixel.y() * rowStepMm;
}

QPointF PlaneRaster::pixelOf(Vec3 placeMm) const {
    const Vec3 from = placeMm - firstMm;
    return {dot(from, columnStepMm) / dot(columnStepMm, columnStepMm),
            dot(from, rowStepMm) / dot(rowStepMm, rowStepMm)};
}

double PlaneRaster::slicesTo(Vec3 placeMm) const {
    return dot(placeMm - firstMm, normalStepMm) / dot(normalStepMm, normalStepMm);
}

QPointF PlaneRaster::inside(QPointF pixel) const {
    return {std::clamp(pixel.x(), -0.5, static_cast<double>(columns) - 0.5),
            std::clamp(pixel.y(), -0.5, static_cast<double>(rows) - 0.5)};
}

PlaneRaster sliceRaster(const SlicePlane& plane, const VolumeGrid& pixels, const VolumeGrid& volume,
                        Index slice) {
    std::array<double, 3> first = {};
    first[plane.normal] = positionMm(volume, plane.normal, static_cast<double>(slice));
    first[plane.across] = positionMm(pixels, plane.across, 0);
    first[plane.up] = positionMm(pixels, plane.up, 0);
    return {{first[0], first[1], first[2]},
            alongAxis(plane.across, pixels.pitchMm[plane.across]),
            alongAxis(plane.up, pixels.pitchMm[plane.up]),
            alongAxis(plane.normal, volume.pitchMm[plane.normal]),
            pixels.voxels[plane.across],
            pixels.voxels[plane.up]};
}

ObliqueFrame frameOf(const ObliqueAngles& angles) {
    const double turn = radians(angles.turnDeg);
    const double tilt = radians(angles.tiltDeg);
    const Vec3 upright{std::cos(turn), std::sin(turn), 0};
    const Vec3 z{0, 0, 1};
    return {{-std::sin(turn), std::cos(turn), 0},
            std::cos(tilt) * z + std::sin(tilt) * upright,
            std::cos(tilt) * upright - std::sin(tilt) * z};
}

PlaneRaster obliqueRaster(const VolumeGrid& grid, const ObliqueAngles& angles, Vec3 throughMm) {
    constexpr double kMaxPixels = 1 << 26;
    const ObliqueFrame frame = frameOf(angles);
    const VoxelIndex middle = middleVoxel(grid);
    // With this anchor the pixels stay in place while the slice is moved.
    const Vec3 anchor =
        grid.positionMm(static_cast<double>(middle[0]), static_cast<double>(middle[1]),
                        static_cast<double>(middle[2]));
    double columnMm = stepMm(grid, frame.right);
    double rowMm = stepMm(grid, frame.up);
    Steps columns = stepsAcross(grid, anchor, frame.right, columnMm);
    Steps rows = stepsAcross(grid, anchor, frame.up, rowMm);
    const double pixels = static_cast<double>(columns.count) * static_cast<double>(rows.count);
    if (pixels > kMaxPixels) {
        columnMm *= std::sqrt(pixels / kMaxPixels);
        rowMm *= std::sqrt(pixels / kMaxPixels);
        columns = stepsAcross(grid, anchor, frame.right, columnMm);
        rows = stepsAcross(grid, anchor, frame.up, rowMm);
    }
    const double depth = dot(throughMm - anchor, frame.normal);
    PlaneRaster raster;
    raster.columnStepMm = columnMm * frame.right;
    raster.rowStepMm = rowMm * frame.up;
    raster.normalStepMm = stepMm(grid, frame.normal) * frame.normal;
    raster.firstMm = anchor + depth * frame.normal + columns.first * raster.columnStepMm +
                     rows.first * raster.rowStepMm;
    raster.columns = columns.count;
    raster.rows = rows.count;
    return raster;
}

ObliqueAngles turnedTowards(ObliqueAngles angles, Vec3 throughMm, Vec3 towards) {
    const Vec3 along = towards - throughMm;
    if (along.x != 0 || along.y != 0) angles.turnDeg = degrees(std::atan2(-along.x, along.y));
    return angles;
}

// Its line in a coronal slice leans by tan(tilt)/cos(turn).
ObliqueAngles tiltedTowards(ObliqueAngles angles, Vec3 throughMm, Vec3 towards) {
    const Vec3 along = towards - throughMm;
    const double aside = std::cos(radians(angles.turnDeg)) * along.x;
    if (aside != 0 || along.z > 0)
        angles.tiltDeg = degrees(std::atan2(aside, std::max(along.z, 0.0)));
    return angles;
}

Vec3 lineIn(SliceAxis slice, const ObliqueAngles& angles) {
    const ObliqueFrame frame = frameOf(angles);
    if (slice == SliceAxis::z) return frame.right;
    const Vec3 across = alongAxis(planeOf(slice).normal, 1);
    const Vec3 along = cross(across, frame.normal);
    if (length(along) < kMinSine) return {};
    const Vec3 line = (1 / length(along)) * along;
    return line.z < 0 ? -1 * line : line;
}

}  // namespace gantry
