#pragma once

#include <vector>

#include "core/geometry/validate.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// Where the projections' own files have the detector otherwise than the scan does: row order,
/// pitch, and an offset that the scan leaves out. Warnings, as either may be right; nothing where
/// the files say nothing or cannot be read.
/// Tests: tests/core/scan/guess_metaimage_test.cpp
[[nodiscard]] std::vector<Problem> contradictedByImages(const ScanFile& scan);

}  // namespace gantry
