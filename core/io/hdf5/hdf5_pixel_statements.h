#pragma once

#include "core/io/hdf5/hdf5_file.h"
#include "core/io/hdf5/hdf5_tomography.h"

namespace gantry {

/// Adds to what a scan states what only its pixels tell: whether its mask of bad pixels can be
/// meant, and whether a flat frame is a projection. Reads the mask and a row of a few frames.
/// @throws InputError when they cannot be read
/// Tests: tests/core/io/hdf5_marks_test.cpp
void addPixelStatements(const Hdf5File& file, Hdf5Tomography& scan);

}  // namespace gantry
