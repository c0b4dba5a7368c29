#include "core/metrics/line_profile.h"

#include <algorithm>
#include <cmath>

#include "core/base/throw_error.h"
#include "core/metrics/trilinear.h"

namespace gantry {
namespace {

// voxels: along x, y, z
void checkEnd(const std::array<Index, 3>& voxels, const std::array<double, 3>& xyz,
              const char* end) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double max = static_cast<double>(voxels[axis]) - 0.5;
        if (!(xyz[axis] >= -0.5 && xyz[axis] <= max))
            throwError<InputError>(
                "The line's {} has {} = {} voxels; it must be between -0.5 and {}.", end,
                "xyz"[axis], xyz[axis], max);
    }
}

// A line that was drawn up to the volume's face may be rounded to just outside of it.
void drawInside(const VolumeGrid& grid, std::array<double, 3>& xyz) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double inside =
            std::clamp(xyz[axis], -0.5, static_cast<double>(grid.voxels[axis]) - 0.5);
        if (std::abs(inside - xyz[axis]) <= kVoxelRounding) xyz[axis] = inside;
    }
}

}  // namespace

std::array<double, 3> VoxelLine::at(int sample) const {
    const double t = static_cast<double>(sample) / (samples - 1);
    std::array<double, 3> place{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        place[axis] = (1 - t) * fromXyz[axis] + t * toXyz[axis];
    return place;
}

double VoxelLine::distanceMm(int sample) const {
    return lengthMm * sample / (samples - 1);
}

VoxelLine voxelLine(const VolumeGrid& grid, Vec3 fromMm, Vec3 toMm) {
    VoxelLine line;
    const Vec3 origin = grid.originMm();
    const Vec3 from = fromMm - origin;
    const Vec3 to = toMm - origin;
    line.fromXyz = {from.x / grid.pitchMm[0], from.y / grid.pitchMm[1], from.z / grid.pitchMm[2]};
    line.toXyz = {to.x / grid.pitchMm[0], to.y / grid.pitchMm[1], to.z / grid.pitchMm[2]};
    drawInside(grid, line.fromXyz);
    drawInside(grid, line.toXyz);
    line.lengthMm = length(toMm - fromMm);
    double voxels = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        voxels = std::hypot(voxels, line.toXyz[axis] - line.fromXyz[axis]);
    line.samples = std::max(2, static_cast<int>(std::ceil(2 * voxels)) + 1);
    return line;
}

void requireInside(const VolumeGrid& grid, const VoxelLine& line) {
    checkEnd(grid.voxels, line.fromXyz, "start");
    checkEnd(grid.voxels, line.toXyz, "end");
}

std::vector<double> lineProfile(Span3<const float> image, const std::array<double, 3>& fromXyz,
                                const std::array<double, 3>& toXyz, int samples) {
    const std::array<Index, 3> voxels = {image.size(2), image.size(1), image.size(0)};
    checkEnd(voxels, fromXyz, "start");
    checkEnd(voxels, toXyz, "end");
    if (samples < 2)
        throwError<InputError>("The line profile has {} samples; it must have at least 2.",
                               samples);
    std::vector<double> values;
    values.reserve(samples);
    for (int i = 0; i < samples; ++i) {
        const double t = static_cast<double>(i) / (samples - 1);
        std::array<double, 3> at{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            at[axis] = (1 - t) * fromXyz[axis] + t * toXyz[axis];
        values.push_back(trilinear(image, at));
    }
    return values;
}

}  // namespace gantry
