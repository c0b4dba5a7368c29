#pragma once

/// @file
/// Objects of which every line integral is known.

#include "core/io/volume/read_volume.h"
#include "core/phantom/phantom.h"

namespace gantry {

/// The phantom on a grid, each voxel the mean of supersampling³ points; 1/mm.
/// threads: 0: as many as this machine has
/// @throws InputError when supersampling is not 1 to 16
/// Tests: tests/install/test_install.py
[[nodiscard]] Volume phantomVolume(const Phantom& phantom, const VolumeGrid& grid,
                                   int supersampling = 3, int threads = 0);

}  // namespace gantry
