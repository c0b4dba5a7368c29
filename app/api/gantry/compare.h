#pragma once

/// @file
/// How a volume differs from another that is taken as true.

#include <optional>

#include "core/io/volume/read_volume.h"
#include "core/metrics/image_error.h"

namespace gantry {

/// Which voxels are compared; by default all.
struct ComparedVoxels {
    std::optional<double> maskRadiusMm = {};  ///< distance from the rotation axis
    std::optional<IndexRange> slices = {};    ///< along z
    int threads = 0;                          ///< 0: as many as this machine has
};

/// Voxel by voxel, of volumes of the same size.
/// @throws InputError when the sizes differ, or nothing is left to compare
/// Tests: tests/install/test_install.py
[[nodiscard]] ImageError compareVolumes(const Volume& volume, const Volume& truth,
                                        const ComparedVoxels& which = {});

}  // namespace gantry
