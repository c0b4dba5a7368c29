#pragma once

#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"
#include "core/phantom/phantom.h"

namespace gantry {

/// Attenuation (1/mm) of slices [slices.begin, slices.end) of the grid, each voxel the mean of
/// supersampling³ points spread evenly in it. Voxels entirely inside shapes have exactly the sum of
/// their values.
/// out: [z][y][x] for those slices. Works on rows with up to `threads` threads; the result does not
/// depend on their number, nor on how the slices are split into calls.
/// @throws InputError when supersampling is not 1 to 16
/// Tests: tests/core/phantom/voxelise_test.cpp
void voxelisePhantom(const Phantom& phantom, const VolumeGrid& grid, IndexRange slices,
                     int supersampling, int threads, Span3<float> out);

}  // namespace gantry
