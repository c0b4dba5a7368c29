#include "ui/models/image/slice_images.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ui/models/text.h"

namespace gantry {
namespace {

Index clampedIndex(const VolumeGrid& grid, std::size_t axis, double index) {
    const auto last = static_cast<double>(grid.voxels[axis] - 1);
    if (!(index > 0)) return 0;  // NaN too
    return static_cast<Index>(std::min(std::round(index), last));
}

}  // namespace

SlicePlane planeOf(SliceAxis axis) {
    switch (axis) {
        case SliceAxis::x:
            return {0, 1, 2};
        case SliceAxis::y:
            return {1, 0, 2};
        case SliceAxis::z:
            break;
    }
    return {2, 0, 1};
}

double positionMm(const VolumeGrid& grid, std::size_t axis, double index) {
    const auto middle = (static_cast<double>(grid.voxels[axis]) - 1) / 2;
    return (index - middle) * grid.pitchMm[axis] + grid.centerMm[axis];
}

double indexAt(const VolumeGrid& grid, std::size_t axis, double positionMm) {
    const auto middle = (static_cast<double>(grid.voxels[axis]) - 1) / 2;
    return (positionMm - grid.centerMm[axis]) / grid.pitchMm[axis] + middle;
}

VoxelIndex nearestVoxel(const VolumeGrid& grid, Vec3 positionMm) {
    return {clampedIndex(grid, 0, indexAt(grid, 0, positionMm.x)),
            clampedIndex(grid, 1, indexAt(grid, 1, positionMm.y)),
            clampedIndex(grid, 2, indexAt(grid, 2, positionMm.z))};
}

VoxelIndex middleVoxel(const VolumeGrid& grid) {
    return {grid.voxels[0] / 2, grid.voxels[1] / 2, grid.voxels[2] / 2};
}

QPointF pixelOf(const SlicePlane& plane, const VoxelIndex& voxel) {
    return {static_cast<double>(voxel[plane.across]), static_cast<double>(voxel[plane.up])};
}

VoxelIndex voxelAt(const SlicePlane& plane, const VolumeGrid& grid, const VoxelIndex& voxel,
                   QPointF pixel) {
    VoxelIndex result = voxel;
    result[plane.across] = clampedIndex(grid, plane.across, pixel.x());
    result[plane.up] = clampedIndex(grid, plane.up, pixel.y());
    return result;
}

const VolumeGrid& VoxelData::finest() const {
    return levels ? levels->grids().front() : grid;
}

float VoxelData::at(const VoxelIndex& voxel) const {
    const Index offset = (voxel[2] * grid.voxels[1] + voxel[1]) * grid.voxels[0] + voxel[0];
    return voxels[offset];
}

GreyImage sliceImage(const VoxelData& data, SliceAxis axis, Index index) {
    const SlicePlane plane = planeOf(axis);
    const VolumeGrid& grid = data.grid;
    const auto [nX, nY, nZ] = grid.voxels;
    GreyImage image;
    image.columns = grid.voxels[plane.across];
    image.rows = grid.voxels[plane.up];
    image.pixelAspect = grid.pitchMm[plane.up] / grid.pitchMm[plane.across];
    image.unit = data.unit;
    const float* voxels = data.voxels.data();
    if (axis == SliceAxis::z) {
        image.owner = data.owner;
        image.pixels = data.voxels.subspan(index * nX * nY, nX * nY);
        return image;
    }
    auto pixels = std::make_shared<std::vector<float>>(image.columns * image.rows);
    float* out = pixels->data();
    for (Index z = 0; z < nZ; ++z) {
        if (axis == SliceAxis::y) {
            out = std::copy_n(voxels + (z * nY + index) * nX, nX, out);
        } else {
            for (Index y = 0; y < nY; ++y)
                *out++ = voxels[(z * nY + y) * nX + index];
        }
    }
    image.pixels = *pixels;
    image.owner = std::move(pixels);
    return image;
}

QPainterPath measuredOutline(const VoxelData& data, const SlicePlane& plane, double placeMm) {
    QPainterPath outline;
    if (!data.measured) return outline;
    constexpr std::size_t kUp = 2;
    const double radiusMm = data.measured->radiusMm;
    const std::array<double, 2>& centerMm = data.measured->centerMm;
    const auto pixel = [&](std::size_t along, double mm) { return indexAt(data.grid, along, mm); };
    if (plane.normal == kUp) {
        const QPointF low(pixel(plane.across, centerMm[plane.across] - radiusMm),
                          pixel(plane.up, centerMm[plane.up] - radiusMm));
        const QPointF high(pixel(plane.across, centerMm[plane.across] + radiusMm),
                           pixel(plane.up, centerMm[plane.up] + radiusMm));
        outline.addEllipse(QRectF(low, high));
        return outline;
    }
    // A slice along the axis cuts the cylinder at two lines.
    const double fromAxis = placeMm - centerMm[plane.normal];
    if (std::abs(fromAxis) >= radiusMm) return outline;
    const double half = std::sqrt(radiusMm * radiusMm - fromAxis * fromAxis);
    for (const double side : {-half, half}) {
        const double across = pixel(plane.across, centerMm[plane.across] + side);
        outline.moveTo(across, -0.5);
        outline.lineTo(across, static_cast<double>(data.grid.voxels[plane.up]) - 0.5);
    }
    return outline;
}

bool isSlowSlice(const VolumeGrid& grid, SliceAxis axis) {
    constexpr Index kMaxStrided = 600 * 600;  // each of them a cache miss
    constexpr Index kMaxInRows = 2048 * 2048;
    const auto [nX, nY, nZ] = grid.voxels;
    if (axis == SliceAxis::z) return false;
    return axis == SliceAxis::x ? nY * nZ > kMaxStrided : nX * nZ > kMaxInRows;
}

QString pitchText(const VolumeGrid& grid) {
    const auto& pitch = grid.pitchMm;
    if (pitch[0] == pitch[1] && pitch[1] == pitch[2]) return lengthText(pitch[0]);
    return lengthsText({pitch[0], pitch[1], pitch[2]});
}

QString positionText(double positionMm, double pitchMm) {
    constexpr int kMaxDecimals = 6;
    // Positions for even and odd sizes differ by half a pitch.
    const double digits = pitchMm > 0 ? std::ceil(-std::log10(pitchMm / 2) - 1e-9) : 1;
    const int decimals = std::clamp(static_cast<int>(digits), 1, kMaxDecimals);
    QString text = QString::number(positionMm, 'f', decimals);
    if (text.toDouble() == 0 && text.startsWith('-')) text.remove(0, 1);
    return text.replace('-', QChar(0x2212)) + QStringLiteral(" mm");
}

QString placeText(const VolumeGrid& grid, Vec3 placeMm) {
    return QStringLiteral("x %1  y %2  z %3")
        .arg(positionText(placeMm.x, grid.pitchMm[0]), positionText(placeMm.y, grid.pitchMm[1]),
             positionText(placeMm.z, grid.pitchMm[2]));
}

QString sliceText(const VolumeGrid& grid, SliceAxis axis, Index index) {
    const std::size_t normal = planeOf(axis).normal;
    const double position = positionMm(grid, normal, static_cast<double>(index));
    return QStringLiteral("%1 %2 of 0–%3, %4")
        .arg(QStringList{"x", "y", "z"}[static_cast<int>(normal)])
        .arg(index)
        .arg(grid.voxels[normal] - 1)
        .arg(positionText(position, grid.pitchMm[normal]));
}

}  // namespace gantry
