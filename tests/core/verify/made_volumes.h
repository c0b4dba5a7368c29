#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/io/volume/read_volume.h"
#include "core/verify/test_piece.h"

namespace gantry::test {

/// A volume whose voxels are what a function of the place says.
inline Volume volumeOf(const VolumeGrid& grid, const std::function<double(Vec3)>& value) {
    Volume volume{grid, HostBuffer<float>(grid.count())};
    const auto [nX, nY, nZ] = grid.voxels;
    for (Index z = 0; z < nZ; ++z)
        for (Index y = 0; y < nY; ++y)
            for (Index x = 0; x < nX; ++x)
                volume.span()(z, y, x) = static_cast<float>(value(grid.positionMm(
                    static_cast<double>(x), static_cast<double>(y), static_cast<double>(z))));
    return volume;
}

/// 1 well inside an edge, 0 well outside, blurred by a Gaussian.
inline double softEdge(double outwardsMm, double sigmaMm) {
    return 0.5 * std::erfc(outwardsMm / sigmaMm / std::sqrt(2.0));
}

/// Blurred spheres of 0.03 /mm in a background of 0.002 /mm.
inline Volume volumeOfSpheres(const VolumeGrid& grid, const std::vector<KnownSphere>& spheres,
                              double sigmaMm) {
    return volumeOf(grid, [&](Vec3 p) {
        double value = 0.002;
        for (const KnownSphere& sphere : spheres)
            value += 0.028 * softEdge(length(p - sphere.centerMm) - sphere.radiusMm, sigmaMm);
        return value;
    });
}

}  // namespace gantry::test
