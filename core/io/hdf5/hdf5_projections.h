#pragma once

#include <string>

#include "core/io/projection_format.h"

namespace gantry {

/// Frames of NXtomo and Data Exchange files, of the kind in OpenOptions::frames. A file is first
/// read in another process, because damaged ones can crash it. Tests:
/// tests/core/io/hdf5_source_test.cpp
[[nodiscard]] ProjectionFormat hdf5Projections();
/// Whether a file or pattern is named as such a file; a folder does not tell.
[[nodiscard]] bool isNamedAsHdf5(const std::string& name);

}  // namespace gantry
