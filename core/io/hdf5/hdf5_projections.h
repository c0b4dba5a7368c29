#pragma once

#include "core/io/projection_format.h"

namespace gantry {

/// Frames of NXtomo and Data Exchange files, of the kind in OpenOptions::frames. A file is first
/// read in another process, because damaged ones can crash it. Tests:
/// tests/core/io/hdf5_source_test.cpp
[[nodiscard]] ProjectionFormat hdf5Projections();

}  // namespace gantry
