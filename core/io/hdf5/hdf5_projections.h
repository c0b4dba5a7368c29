#pragma once

#include <filesystem>

#include "core/io/projection_format.h"

namespace gantry {

/// Frames of NXtomo and Data Exchange files, of the kind that OpenOptions::frames asks for; a file
/// is first read in a process of its own, as damaged ones can end it.
/// Tests: tests/core/io/hdf5_source_test.cpp
[[nodiscard]] ProjectionFormat hdf5Projections();

}  // namespace gantry
