#include "ui/models/image/compared_images.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/metrics/plane_samples.h"
#include "core/report/compare_volumes.h"

namespace gantry {
namespace {

Vec3 stepAlong(const VolumeGrid& grid, std::size_t axis) {
    std::array<double, 3> step{};
    step[axis] = grid.pitchMm[axis];
    return {step[0], step[1], step[2]};
}

// Combines both values in pixels that the second image has; infinite if one is not finite.
template <class Combine>
GreyImage combined(const ImagePair& pair, Combine combine) {
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    constexpr float kNoNumber = std::numeric_limits<float>::infinity();
    const auto pixels = std::make_shared<std::vector<float>>(pair.first.pixels.size());
    std::ranges::transform(pair.first.pixels, pair.second.pixels, pixels->begin(),
                           [&](float a, float b) {
                               if (pair.second.nanIsOutside && std::isnan(b)) return kNone;
                               const float value = combine(a, b);
                               return std::isfinite(value) ? value : kNoNumber;
                           });
    GreyImage image = pair.first;
    image.owner = pixels;
    image.pixels = *pixels;
    image.nanIsOutside = true;
    return image;
}

}  // namespace

bool areOnOneGrid(const VolumeGrid& a, const VolumeGrid& b) {
    return a.voxels == b.voxels && isSamePlace(a, b);
}

ImagePair comparedSlices(const VoxelData& first, const VoxelData& second, SliceAxis axis,
                         Index index, const std::stop_token& stop) {
    ImagePair pair;
    pair.first = sliceImage(first, axis, index);
    if (areOnOneGrid(first.grid, second.grid)) {
        pair.second = sliceImage(second, axis, index);
        return pair;
    }
    const SlicePlane plane = planeOf(axis);
    std::array<double, 3> corner{};
    corner[plane.normal] = static_cast<double>(index);
    const PixelPlane there =
        planeIn(second.grid, first.grid.positionMm(corner[0], corner[1], corner[2]),
                stepAlong(first.grid, plane.across), stepAlong(first.grid, plane.up));
    const auto pixels = std::make_shared<std::vector<float>>(pair.first.pixels.size());
    const auto [nX, nY, nZ] = second.grid.voxels;
    samplePlane({second.voxels.data(), nZ, nY, nX}, there, pair.first.columns, pair.first.rows,
                pixels->data(), availableThreads(), stop);
    pair.second = pair.first;
    pair.second.owner = pixels;
    pair.second.pixels = *pixels;
    pair.second.nanIsOutside = true;
    return pair;
}

GreyImage blended(const ImagePair& pair, double share) {
    if (share <= 0) return pair.first;
    if (share >= 1) return pair.second;
    const auto part = static_cast<float>(share);
    return combined(pair, [part](float a, float b) { return (1 - part) * a + part * b; });
}

GreyImage differenceOf(const ImagePair& pair) {
    GreyImage image = combined(pair, [](float a, float b) { return a - b; });
    image.isDifference = true;
    return image;
}

GreyWindow differenceWindow(const GreyImage& difference) {
    const GreyWindow nearlyAll = autoWindow(difference.pixels);
    const double half = std::max(std::abs(nearlyAll.black), std::abs(nearlyAll.white));
    return {-half, half};
}

}  // namespace gantry
