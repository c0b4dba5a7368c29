#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/geometry/volume_grid.h"

namespace gantry {

/// A downsampled volume that is small enough to be rendered quickly. Each of its voxels is the mean
/// of a block of voxels, stored in 16 bits.
struct ReducedVolume {
    VolumeGrid grid;
    std::vector<std::uint16_t> voxels;  ///< [z][y][x], x fastest
    double low = 0;                     ///< attenuation of code 0, 1/mm
    double high = 1;                    ///< attenuation of code 65535; above low

    /// Converts an attenuation to a code, which is not rounded and may lie outside of 0 to 65535.
    [[nodiscard]] double code(double value) const;
};

/// The length of the diagonal of the grid's box.
[[nodiscard]] double diagonalMm(const VolumeGrid& grid);

/// Downsamples a volume to at most `maxVoxels` along each axis. Means leave out voxels that are not
/// finite; a block without a finite voxel gets code 0.
/// grid: of `voxels`; voxels: [z][y][x]
/// @throws Cancelled
/// Tests: tests/ui/scene/reduced_volume_test.cpp
[[nodiscard]] ReducedVolume reducedVolume(const VolumeGrid& grid, std::span<const float> voxels,
                                          Index maxVoxels, const std::stop_token& stop = {});

}  // namespace gantry
