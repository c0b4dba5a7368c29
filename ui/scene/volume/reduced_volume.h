#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/geometry/volume_grid.h"

namespace gantry {

/// A volume small enough to be rendered quickly: means of blocks of voxels, 16 bits each.
struct ReducedVolume {
    VolumeGrid grid;
    std::vector<std::uint16_t> voxels;  ///< [z][y][x], x fastest
    double low = 0;                     ///< attenuation of code 0, 1/mm
    double high = 1;                    ///< attenuation of code 65535; above low

    /// The code, possibly outside of 0 to 65535, of an attenuation.
    [[nodiscard]] double code(double value) const;
};

/// The length of the diagonal of the grid's box.
[[nodiscard]] double diagonalMm(const VolumeGrid& grid);

/// Reduces to at most `maxVoxels` along an axis. Voxels that are not finite count as the smallest
/// finite one. The grid is that of `voxels`, [z][y][x].
/// @throws Cancelled
/// Tests: tests/ui/scene/reduced_volume_test.cpp
[[nodiscard]] ReducedVolume reducedVolume(const VolumeGrid& grid, std::span<const float> voxels,
                                          Index maxVoxels, const std::stop_token& stop = {});

}  // namespace gantry
