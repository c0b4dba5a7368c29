#pragma once

#include <algorithm>
#include <array>

#include "core/base/span3.h"

namespace gantry {

/// Max distance, in voxels, by which rounding may put a point of a volume's face, or a voxel's
/// centre on a region's face, outside.
inline constexpr double kVoxelRounding = 1e-6;

/// The value at voxel coordinates (x, y, z; 0 is the centre of the first voxel), trilinear. In the
/// outer half of the border voxels, and beyond, it is that of the nearest position between centres.
/// A neighbour without weight does not matter, even when it is not finite. image: [z][y][x], not
/// empty Tests: tests/core/metrics/line_profile_test.cpp, tests/core/metrics/plane_samples_test.cpp
[[nodiscard]] inline double trilinear(Span3<const float> image, const std::array<double, 3>& xyz) {
    // The two neighbours of a coordinate and the share of the upper one.
    struct Between {
        Index low;
        Index high;
        double share;
    };
    const auto between = [](double coordinate, Index count) {
        const double inside = std::clamp(coordinate, 0.0, static_cast<double>(count - 1));
        const auto low = static_cast<Index>(inside);
        return Between{low, std::min(low + 1, count - 1), inside - static_cast<double>(low)};
    };
    const auto mix = [](double low, double high, double share) {
        return share > 0 ? low + share * (high - low) : low;
    };
    const Between x = between(xyz[0], image.size(2));
    const Between y = between(xyz[1], image.size(1));
    const Between z = between(xyz[2], image.size(0));
    const auto alongX = [&](Index iz, Index iy) {
        const float* row = image.row(iz, iy);
        return mix(static_cast<double>(row[x.low]), static_cast<double>(row[x.high]), x.share);
    };
    const auto alongY = [&](Index iz) {
        return mix(alongX(iz, y.low), alongX(iz, y.high), y.share);
    };
    return mix(alongY(z.low), alongY(z.high), z.share);
}

}  // namespace gantry
