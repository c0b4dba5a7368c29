#include "ui/scene/volume/detail_boxes.h"

#include <algorithm>
#include <cmath>

#include "ui/scene/volume/voxel_ray.h"

namespace gantry {

namespace {

constexpr Index kMinVoxels = 2;  // fewer cannot be drawn
// Max ratio of voxel widths: a level with nearly the same voxels as those shown adds nothing.
constexpr double kFiner = 0.75;

double widestMm(const VolumeGrid& grid) {
    return *std::ranges::max_element(grid.pitchMm);
}

// The voxels whose centres lie between two positions.
IndexRange voxelsBetween(const VolumeGrid& grid, std::size_t axis, double lowMm, double highMm) {
    const double origin = axesOf(grid.originMm())[axis];
    const double pitch = grid.pitchMm[axis];
    // Positions that were voxel centres of a grid have been rounded.
    constexpr double kRounded = 1e-6;
    const auto index = [&](double mm) { return (mm - origin) / pitch; };
    const auto first = static_cast<Index>(std::ceil(index(lowMm) - kRounded));
    const auto last = static_cast<Index>(std::floor(index(highMm) + kRounded));
    const Index begin = std::max<Index>(0, first);
    const Index end = std::min(grid.voxels[axis], last + 1);
    return {begin, std::max(begin, end)};
}

BoxEnds within(BoxEnds ends, const BoxEnds& other) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        ends.lowMm[axis] = std::max(ends.lowMm[axis], other.lowMm[axis]);
        ends.highMm[axis] = std::min(ends.highMm[axis], other.highMm[axis]);
    }
    return ends;
}

// A level's voxels within a box.
struct Cut {
    VoxelBox voxels;
    bool isWhole = true;     // it contains all that lie within the box
    bool isDrawable = true;  // it has enough voxels to be drawn
};

// Voxels of the level in the box, at most `maxVoxels` along an axis, about the focus if possible.
Cut cutAbout(const VolumeGrid& level, const BoxEnds& box, const Vec3& focusMm, Index maxVoxels) {
    Cut cut;
    IndexRange* const ranges[] = {&cut.voxels.x, &cut.voxels.y, &cut.voxels.z};
    const std::array<double, 3> way = axesOf(focusMm - level.originMm());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        IndexRange& range = *ranges[axis];
        range = voxelsBetween(level, axis, box.lowMm[axis], box.highMm[axis]);
        cut.isDrawable = cut.isDrawable && range.size() >= kMinVoxels;
        if (range.size() <= maxVoxels) continue;
        cut.isWhole = false;
        const auto place = static_cast<Index>(std::floor(way[axis] / level.pitchMm[axis]));
        range.begin = std::clamp(place - (maxVoxels - 1) / 2, range.begin, range.end - maxVoxels);
        range.end = range.begin + maxVoxels;
    }
    return cut;
}

}  // namespace

BoxEnds endsOf(const VolumeGrid& grid) {
    BoxEnds ends{axesOf(grid.originMm()), {}};
    for (std::size_t axis = 0; axis < 3; ++axis)
        ends.highMm[axis] =
            ends.lowMm[axis] + static_cast<double>(grid.voxels[axis] - 1) * grid.pitchMm[axis];
    return ends;
}

void clipEnds(BoxEnds& ends, std::span<const HalfSpace> clips) {
    for (const HalfSpace& half : clips) {
        const std::array<double, 3> inward = axesOf(half.inward);
        const std::array<double, 3> point = axesOf(half.pointMm);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (std::abs(inward[axis]) < length(half.inward)) continue;
            double& end = inward[axis] > 0 ? ends.lowMm[axis] : ends.highMm[axis];
            end = inward[axis] > 0 ? std::max(end, point[axis]) : std::min(end, point[axis]);
        }
    }
}

std::vector<DetailBox> detailBoxes(const std::vector<VolumeGrid>& levels, const VolumeGrid& shown,
                                   const DetailTarget& target, Index maxVoxels) {
    std::vector<DetailBox> boxes;
    if (widestMm(shown) <= target.pixelMm) return boxes;
    const BoxEnds visible = within(endsOf(shown), target.inside);
    for (Index level = std::ssize(levels) - 1; level >= 0; --level) {
        const VolumeGrid& grid = levels[level];
        if (widestMm(grid) > kFiner * widestMm(shown)) continue;
        Cut cut = cutAbout(grid, visible, target.focusMm, maxVoxels);
        if (cut.isWhole)
            boxes.clear();
        else if (!boxes.empty())
            cut = cutAbout(grid, within(visible, endsOf(boxes.back().grid)), target.focusMm,
                           maxVoxels);
        if (!cut.isDrawable) break;
        boxes.push_back({level, cut.voxels, gridOf(grid, cut.voxels)});
        if (widestMm(grid) <= target.pixelMm) break;
    }
    return boxes;
}

}  // namespace gantry
