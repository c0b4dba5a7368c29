#include "core/geometry/footprint.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace gantry {

namespace {

struct Interval {
    double low;
    double high;
};

// Gantry angles of the first and the last view, in rising order, radians.
Interval arcOf(const AlignedViews& geometry) {
    const auto [low, high] =
        std::minmax_element(geometry.anglesDeg.begin(), geometry.anglesDeg.end());
    return {radians(*low), radians(*high)};
}

// Largest value of cos(angle − peak) over the arc.
double largestCosine(Interval arc, double peak) {
    const double turns = std::ceil((arc.low - peak) / (2 * kPi));
    if (peak + turns * 2 * kPi <= arc.high) return 1;
    return std::max(std::cos(arc.low - peak), std::cos(arc.high - peak));
}

// Depths, from the source along the gantry's axis, of the grid's corners over the arc. At angle θ
// the point r·(cosφ, sinφ) is r·sin(φ − θ) behind the isocentre.
Interval depthsMm(const AlignedViews& geometry, const VolumeGrid& grid) {
    const Interval arc = arcOf(geometry);
    Interval behind = {0, 0};
    const double lastX = static_cast<double>(grid.voxels[0] - 1);
    const double lastY = static_cast<double>(grid.voxels[1] - 1);
    bool first = true;
    for (const double x : {0.0, lastX}) {
        for (const double y : {0.0, lastY}) {
            const Vec3 corner = grid.positionMm(x, y, 0);
            const double radius = std::hypot(corner.x, corner.y);
            const double peak = std::atan2(corner.y, corner.x) - kPi / 2;
            const double high = radius * largestCosine(arc, peak);
            const double low = -radius * largestCosine(arc, peak + kPi);
            behind.low = first ? low : std::min(behind.low, low);
            behind.high = first ? high : std::max(behind.high, high);
            first = false;
        }
    }
    const double axis = geometry.detector.axisDistanceMm;
    return {axis + behind.low, axis + behind.high};
}

// Rows of a box's corners. A box's image is a convex polygon, so its extremes are corners, as long
// as the whole box lies before the source.
Interval cornerRows(const AlignedViews& geometry, const VolumeGrid& grid, IndexRange slices) {
    const VolumeGrid slab = grid.slab(slices);
    Vec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        const auto at = [&](int axis) {
            return (i >> axis & 1) != 0 ? static_cast<double>(slab.voxels[axis] - 1) : 0.0;
        };
        corners[i] = slab.positionMm(at(0), at(1), at(2));
    }
    Interval rows = {std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()};
    for (const ProjectionMatrix& matrix : geometry.matrices) {
        for (const Vec3& corner : corners) {
            const ProjectionMatrix::Point at = matrix.project(corner.x, corner.y, corner.z);
            require(at.z > 0, "the footprint of a slab needs a volume that keeps off the source");
            rows.low = std::min(rows.low, at.v);
            rows.high = std::max(rows.high, at.v);
        }
    }
    return rows;
}

// The interval's rows with both neighbours, on the detector.
IndexRange touchedRows(const AlignedDetector& detector, Interval on) {
    // Single precision may move a position that falls on a row to just beside it.
    constexpr double kRoundingRows = 0.01;
    const auto rows = static_cast<double>(detector.rows);
    const double begin = std::floor(on.low - kRoundingRows);
    const double end = std::floor(on.high + kRoundingRows) + 2;
    if (end <= 0 || begin >= rows) return {};
    return {static_cast<Index>(std::max(begin, 0.0)), static_cast<Index>(std::min(end, rows))};
}

}  // namespace

IndexRange footprintRows(const AlignedViews& geometry, const VolumeGrid& grid, IndexRange slices) {
    if (slices.empty()) return {};
    if (!geometry.areAligned())
        return touchedRows(geometry.detector, cornerRows(geometry, grid, slices));
    const AlignedDetector& detector = geometry.detector;
    if (detector.isParallel()) {
        const auto row = [&](Index slice) {
            return detector.midplaneRow() +
                   grid.positionMm(0, 0, static_cast<double>(slice)).z / detector.pitchMm[1];
        };
        return touchedRows(detector, {row(slices.begin), row(slices.end - 1)});
    }
    const Interval depths = depthsMm(geometry, grid);
    require(depths.low > 0, "the footprint of a slab needs a volume that keeps off the source");

    // Above the source's height the row rises as the voxel comes nearer; below, it falls.
    const auto row = [&](double heightMm, double depthMm) {
        return detector.midplaneRow() +
               heightMm * detector.distanceMm / (depthMm * detector.pitchMm[1]);
    };
    const auto height = [&](Index slice) {
        return grid.positionMm(0, 0, static_cast<double>(slice)).z - geometry.midplaneMm;
    };
    const double bottom = height(slices.begin);
    const double top = height(slices.end - 1);
    return touchedRows(detector, {row(bottom, bottom < 0 ? depths.low : depths.high),
                                  row(top, top > 0 ? depths.low : depths.high)});
}

}  // namespace gantry
