#include "core/metrics/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/throw_error.h"
#include "core/metrics/trilinear.h"

namespace gantry {
namespace {

std::string shownBox(const WorldBox& box) {
    return fmt::format("x {} to {}, y {} to {}, z {} to {} mm", box.lowMm[0], box.highMm[0],
                       box.lowMm[1], box.highMm[1], box.lowMm[2], box.highMm[2]);
}

void requireShape(Span3<const float> image, const VolumeGrid& grid) {
    require(image.size(0) == grid.voxels[2] && image.size(1) == grid.voxels[1] &&
                image.size(2) == grid.voxels[0],
            "the volume does not have the shape of its grid");
}

// Indices along one axis whose centres are within `radius` of `center`.
IndexRange within(const VolumeGrid& grid, std::size_t axis, double center, double radius) {
    const auto n = static_cast<double>(grid.voxels[axis]);
    const double middle = (center - grid.centerMm[axis]) / grid.pitchMm[axis] + (n - 1) / 2;
    const double reach = radius / grid.pitchMm[axis];
    // One more on either side is included; the distance decides.
    return {static_cast<Index>(std::clamp(std::floor(middle - reach), 0.0, n)),
            static_cast<Index>(std::clamp(std::ceil(middle + reach) + 1, 0.0, n))};
}

}  // namespace

void RegionGather::add(float value) {
    if (!std::isfinite(value)) {
        ++m_result.notFinite;
        return;
    }
    const double v = static_cast<double>(value);
    m_result.smallest = m_result.voxels == 0 ? v : std::min(m_result.smallest, v);
    m_result.largest = m_result.voxels == 0 ? v : std::max(m_result.largest, v);
    ++m_result.voxels;
    const double off = v - m_result.mean;
    m_result.mean += off / static_cast<double>(m_result.voxels);
    m_squares += off * (v - m_result.mean);
}

void RegionGather::add(std::span<const float> values) {
    for (const float value : values)
        add(value);
}

RegionStatistics RegionGather::result() const {
    RegionStatistics result = m_result;
    if (result.voxels > 1)
        result.standardDeviation = std::sqrt(m_squares / static_cast<double>(result.voxels - 1));
    return result;
}

std::array<IndexRange, 3> voxelsIn(const VolumeGrid& grid, const WorldBox& box) {
    // A centre on a face counts, whichever way the last bits of its place are rounded.
    std::array<IndexRange, 3> ranges;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = box.lowMm[axis];
        const double high = box.highMm[axis];
        if (!std::isfinite(low) || !std::isfinite(high) || low > high)
            throwError<InputError>(
                "The region reaches along {} from {} to {} mm; both must be finite, the lower one "
                "first.",
                "xyz"[axis], low, high);
        const auto n = static_cast<double>(grid.voxels[axis]);
        const auto indexAt = [&](double mm) {
            return (mm - grid.centerMm[axis]) / grid.pitchMm[axis] + (n - 1) / 2;
        };
        ranges[axis] = {
            static_cast<Index>(std::clamp(std::ceil(indexAt(low) - kVoxelRounding), 0.0, n)),
            static_cast<Index>(std::clamp(std::floor(indexAt(high) + kVoxelRounding) + 1, 0.0, n))};
        if (ranges[axis].end <= ranges[axis].begin)
            throwError<InputError>(
                "The region {} holds the centre of no voxel of the volume. Move or enlarge it.",
                shownBox(box));
    }
    return ranges;
}

RegionStatistics boxStatistics(Span3<const float> image, const VolumeGrid& grid,
                               const WorldBox& box) {
    requireShape(image, grid);
    const auto [xs, ys, zs] = voxelsIn(grid, box);
    RegionGather gather;
    for (Index z = zs.begin; z < zs.end; ++z)
        for (Index y = ys.begin; y < ys.end; ++y)
            gather.add({&image(z, y, xs.begin), static_cast<std::size_t>(xs.size())});
    const RegionStatistics result = gather.result();
    if (result.voxels == 0)
        throwError<InputError>("The region {} holds no voxel with a finite value.", shownBox(box));
    return result;
}

std::vector<Index> boxHistogram(Span3<const float> image, const VolumeGrid& grid,
                                const WorldBox& box, const RegionStatistics& found) {
    requireShape(image, grid);
    const auto [xs, ys, zs] = voxelsIn(grid, box);
    std::vector<Index> bins(kRegionBins);
    for (Index z = zs.begin; z < zs.end; ++z)
        for (Index y = ys.begin; y < ys.end; ++y)
            countInto(bins, found.smallest, found.largest,
                      {&image(z, y, xs.begin), static_cast<std::size_t>(xs.size())});
    return bins;
}

void countInto(std::vector<Index>& bins, double low, double high, std::span<const float> values) {
    const double perValue = high > low ? static_cast<double>(bins.size()) / (high - low) : 0;
    const auto last = static_cast<double>(bins.size() - 1);
    for (const float value : values) {
        const double v = static_cast<double>(value);
        if (!(v >= low && v <= high)) continue;
        ++bins[static_cast<std::size_t>(std::min((v - low) * perValue, last))];
    }
}

RegionStatistics sphereStatistics(Span3<const float> image, const VolumeGrid& grid, Vec3 centerMm,
                                  double radiusMm) {
    requireShape(image, grid);
    if (!std::isfinite(radiusMm) || radiusMm <= 0)
        throwError<InputError>(
            "The region's radius is {} mm; it must be greater than 0 and finite.", radiusMm);
    if (!std::isfinite(centerMm.x) || !std::isfinite(centerMm.y) || !std::isfinite(centerMm.z))
        throwError<InputError>("The region's centre is ({}, {}, {}) mm; it must be finite.",
                               centerMm.x, centerMm.y, centerMm.z);
    const IndexRange xs = within(grid, 0, centerMm.x, radiusMm);
    const IndexRange ys = within(grid, 1, centerMm.y, radiusMm);
    const IndexRange zs = within(grid, 2, centerMm.z, radiusMm);
    RegionGather gather;
    for (Index z = zs.begin; z < zs.end; ++z)
        for (Index y = ys.begin; y < ys.end; ++y)
            for (Index x = xs.begin; x < xs.end; ++x) {
                const Vec3 off = grid.positionMm(static_cast<double>(x), static_cast<double>(y),
                                                 static_cast<double>(z)) -
                                 centerMm;
                if (dot(off, off) <= radiusMm * radiusMm) gather.add(image(z, y, x));
            }
    const RegionStatistics result = gather.result();
    if (result.voxels == 0)
        throwError<InputError>(
            "The region of radius {} mm around ({}, {}, {}) mm holds no voxel of the volume with a "
            "finite value. Move or enlarge it.",
            radiusMm, centerMm.x, centerMm.y, centerMm.z);
    return result;
}

}  // namespace gantry
