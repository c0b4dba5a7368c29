#pragma once

#include <random>
#include <vector>

#include "core/base/span3.h"

namespace gantry::test {

/// A volume that owns its voxels, [z][y][x].
struct Volume {
    Index nZ, nY, nX;
    std::vector<float> voxels;

    Volume(Index z, Index y, Index x, float value = 0)
        : nZ(z), nY(y), nX(x), voxels(static_cast<std::size_t>(z * y * x), value) {}

    [[nodiscard]] Span3<const float> view() const { return {voxels.data(), nZ, nY, nX}; }
    float& at(Index z, Index y, Index x) {
        return voxels[static_cast<std::size_t>((z * nY + y) * nX + x)];
    }
};

/// A ramp with a step and noise: structure for SSIM to see.
inline Volume structured(Index nZ, Index nY, Index nX, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> noise(0, 0.1F);
    Volume volume(nZ, nY, nX);
    for (Index z = 0; z < nZ; ++z)
        for (Index y = 0; y < nY; ++y)
            for (Index x = 0; x < nX; ++x)
                volume.at(z, y, x) =
                    0.02F * static_cast<float>(x + z) + (y > nY / 2 ? 0.5F : 0.0F) + noise(random);
    return volume;
}

/// The volume with noise of its own added.
inline Volume disturbed(Volume volume, float sigma, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> noise(0, sigma);
    for (float& voxel : volume.voxels)
        voxel += noise(random);
    return volume;
}

}  // namespace gantry::test
