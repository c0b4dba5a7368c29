#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/io/hdf5/hdf5_file.h"
#include "core/io/hdf5/hdf5_tomography.h"

namespace gantry {

/// Leaves out flat frames that are projections with a wrong key: each looks like the projection
/// beside it, and not like other flat frames. Reads a row of a few frames. Returns the images'
/// numbers, sorted.
/// @throws InputError when they cannot be read
/// Tests: tests/core/io/hdf5_marks_test.cpp
std::vector<Index> leaveOutProjections(const Hdf5File& file, Hdf5Tomography& scan);

/// Adds to what a scan states what only its pixels tell: whether its mask of bad pixels can be
/// meant, and which flat frames are projections, as leaveOutProjections() does. Reads the mask,
/// too.
/// @throws InputError when they cannot be read
/// Tests: tests/core/io/hdf5_marks_test.cpp
void addPixelStatements(const Hdf5File& file, Hdf5Tomography& scan);

}  // namespace gantry
