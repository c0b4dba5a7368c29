#include "ui/models/image/region_box.h"

#include <algorithm>
#include <cmath>

namespace gantry {
namespace {

// Moves smaller than this part of a voxel are rounding of pixels to mm and back.
constexpr double kUnmoved = 1e-6;

double wholeSteps(double distance, double pitch) {
    return std::round(distance / pitch) * pitch;
}

}  // namespace

RegionBox boxOf(const VolumeGrid& grid) {
    RegionBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double half = static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis] / 2;
        box.lowMm[axis] = grid.centerMm[axis] - half;
        box.highMm[axis] = grid.centerMm[axis] + half;
    }
    return box;
}

QRectF rectangleOf(const RegionBox& box, const SlicePlane& plane, const VolumeGrid& shown) {
    const QPointF low(indexAt(shown, plane.across, box.lowMm[plane.across]),
                      indexAt(shown, plane.up, box.lowMm[plane.up]));
    const QPointF high(indexAt(shown, plane.across, box.highMm[plane.across]),
                       indexAt(shown, plane.up, box.highMm[plane.up]));
    return {low, high};
}

RegionBox boxWith(const RegionBox& box, const QRectF& rectangle, const SlicePlane& plane,
                  const VolumeGrid& shown) {
    const QRectF ordered = rectangle.normalized();
    RegionBox result = box;
    result.lowMm[plane.across] = positionMm(shown, plane.across, ordered.left());
    result.highMm[plane.across] = positionMm(shown, plane.across, ordered.left() + ordered.width());
    result.lowMm[plane.up] = positionMm(shown, plane.up, ordered.top());
    result.highMm[plane.up] = positionMm(shown, plane.up, ordered.top() + ordered.height());
    return result;
}

VolumeGrid reshaped(const VolumeGrid& grid, const RegionBox& box) {
    const RegionBox before = boxOf(grid);
    VolumeGrid result = grid;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double pitch = grid.pitchMm[axis];
        const double lowMoved = box.lowMm[axis] - before.lowMm[axis];
        const double highMoved = box.highMm[axis] - before.highMm[axis];
        if (!std::isfinite(lowMoved) || !std::isfinite(highMoved) || !(pitch > 0)) continue;
        if (std::abs(highMoved - lowMoved) < kUnmoved * pitch) {  // shifted, or not touched
            result.centerMm[axis] += wholeSteps(lowMoved, pitch);
            continue;
        }
        const double wanted = std::round((box.highMm[axis] - box.lowMm[axis]) / pitch);
        const double count = std::clamp(wanted, 1.0, static_cast<double>(kMaxVoxels));
        result.voxels[axis] = static_cast<Index>(count);
        const bool keepsHigh = std::abs(highMoved) < kUnmoved * pitch;
        const double low = keepsHigh ? before.highMm[axis] - count * pitch
                                     : before.lowMm[axis] + wholeSteps(lowMoved, pitch);
        result.centerMm[axis] = low + count * pitch / 2;
    }
    return result;
}

}  // namespace gantry
