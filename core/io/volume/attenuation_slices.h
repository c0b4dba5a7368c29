#pragma once

#include <functional>
#include <stop_token>

#include "core/base/span3.h"
#include "core/io/volume/stored_volume.h"

namespace gantry {

/// Reads slices [slices.begin, slices.end) in steps of so many, in order, as attenuation in 1/mm.
/// take: gets the slices of a step, [z][y][x]; their memory is used again for the next ones
/// @throws InputError naming the file when it is damaged; Cancelled
/// Tests: tests/core/recon/volume_residual_test.cpp, tests/core/recon/iterative_run_test.cpp
void readAttenuation(const StoredVolume& volume, IndexRange slices, Index atOnce,
                     const std::stop_token& stop,
                     const std::function<void(IndexRange step, Span3<const float> voxels)>& take);

}  // namespace gantry
