#include "ui/models/job/job_volume.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/geometry/check/validate.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

// Lengths that are absurd or not finite give the nearest possible number of voxels.
Index voxelsOf(double lengthMm, double pitchMm, double rounding) {
    const double voxels = lengthMm / pitchMm + rounding;
    if (!(voxels >= 1)) return 1;
    return static_cast<Index>(std::min(voxels, static_cast<double>(kMaxVoxels)));
}

}  // namespace

std::array<double, 3> boxMm(const VolumeGrid& grid) {
    std::array<double, 3> box{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        box[axis] = static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
    return box;
}

VolumeGrid cubeAround(const VolumeGrid& grid, Index n) {
    const std::array<double, 3> box = boxMm(grid);
    VolumeGrid cube = grid;
    cube.voxels = {n, n, n};
    cube.pitchMm.fill(*std::ranges::max_element(box) / static_cast<double>(n));
    return cube;
}

VolumeGrid withVoxelsAcross(const VolumeGrid& grid, Index across) {
    const std::array<double, 3> box = boxMm(grid);
    const double pitch = box[0] / static_cast<double>(across);
    VolumeGrid result = grid;
    result.pitchMm = {pitch, pitch, pitch};
    result.voxels[0] = across;
    // Counts whole voxels within the box; rounding must not lose one.
    constexpr double kSlack = 1e-6;
    for (std::size_t axis = 1; axis < 3; ++axis)
        result.voxels[axis] = voxelsOf(box[axis], pitch, kSlack);
    return result;
}

VolumeGrid withBox(const VolumeGrid& grid, const std::array<double, 3>& box) {
    VolumeGrid result = grid;
    for (std::size_t axis = 0; axis < 3; ++axis)
        result.voxels[axis] = voxelsOf(box[axis], grid.pitchMm[axis], 0.5);
    return result;
}

bool isRegionOf(const VolumeGrid& grid, const VolumeGrid& fitted) {
    const std::array<double, 3> box = boxMm(grid);
    const std::array<double, 3> whole = boxMm(fitted);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double voxel = std::max(grid.pitchMm[axis], fitted.pitchMm[axis]);
        const double shift = std::abs(grid.centerMm[axis] - fitted.centerMm[axis]);
        if (box[axis] / 2 - shift < whole[axis] / 2 - voxel) return true;
    }
    return false;
}

VolumeGrid wholeAtPitch(const VolumeGrid& grid, const VolumeGrid& fitted) {
    VolumeGrid result = withBox(grid, boxMm(fitted));
    result.centerMm = fitted.centerMm;
    return result;
}

VolumeGrid middleOf(const VolumeGrid& grid) {
    std::array<double, 3> box = boxMm(grid);
    for (double& length : box)
        length /= 2;
    return withBox(grid, box);
}

std::optional<VolumeGrid> fittedOrNone(const JobSpec& job) {
    const std::vector<Problem> problems = validate(job.scan.geometry);
    if (!problems.empty() && problems.front().severity == Problem::Severity::error) return {};
    try {
        return job.fittedVolume();
    } catch (const Error&) {
        return {};
    }
}

Index volumeBytes(const VolumeGrid& grid) {
    return grid.count() * static_cast<Index>(sizeof(float));
}

QString boxText(const VolumeGrid& grid) {
    const auto [x, y, z] = boxMm(grid);
    return lengthsText({x, y, z});
}

}  // namespace gantry
