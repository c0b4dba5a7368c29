#include "core/metrics/line_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace gantry {
namespace {

// voxels: along x, y, z
void checkEnd(const std::array<Index, 3>& voxels, const std::array<double, 3>& xyz,
              const char* end) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double most = static_cast<double>(voxels[axis]) - 0.5;
        if (!(xyz[axis] >= -0.5 && xyz[axis] <= most))
            throw InputError(
                fmt::format("The line's {} has {} = {} voxels; it must be between -0.5 and {}.",
                            end, "xyz"[axis], xyz[axis], most));
    }
}

// What is drawn up to the volume's face may be rounded to just outside of it.
void drawInside(const VolumeGrid& grid, std::array<double, 3>& xyz) {
    constexpr double kRounding = 1e-6;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double inside =
            std::clamp(xyz[axis], -0.5, static_cast<double>(grid.voxels[axis]) - 0.5);
        if (std::abs(inside - xyz[axis]) <= kRounding) xyz[axis] = inside;
    }
}

// The two neighbours of a coordinate and the share of the upper one.
struct Between {
    Index low;
    Index high;
    double share;
};

Between between(double coordinate, Index count) {
    const double inside = std::clamp(coordinate, 0.0, static_cast<double>(count - 1));
    const auto low = static_cast<Index>(std::floor(inside));
    return {low, std::min(low + 1, count - 1), inside - static_cast<double>(low)};
}

// A neighbour without weight must not matter, even when it is not finite.
double mix(double low, double high, double share) {
    return share > 0 ? low + share * (high - low) : low;
}

double valueAt(Span3<const float> image, const std::array<double, 3>& xyz) {
    const Between x = between(xyz[0], image.size(2));
    const Between y = between(xyz[1], image.size(1));
    const Between z = between(xyz[2], image.size(0));
    const auto alongX = [&](Index iz, Index iy) {
        return mix(static_cast<double>(image(iz, iy, x.low)),
                   static_cast<double>(image(iz, iy, x.high)), x.share);
    };
    const auto alongY = [&](Index iz) {
        return mix(alongX(iz, y.low), alongX(iz, y.high), y.share);
    };
    return mix(alongY(z.low), alongY(z.high), z.share);
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
        throw InputError(
            fmt::format("The line profile has {} samples; it must have at least 2.", samples));
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(samples));
    for (int i = 0; i < samples; ++i) {
        const double t = static_cast<double>(i) / (samples - 1);
        std::array<double, 3> at{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            at[axis] = (1 - t) * fromXyz[axis] + t * toXyz[axis];
        values.push_back(valueAt(image, at));
    }
    return values;
}

}  // namespace gantry
