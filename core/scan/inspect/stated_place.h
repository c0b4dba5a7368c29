#pragma once

#include <vector>

#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// Differences between the scan and the detector position in the projections' own files: row order,
/// pitch, and an offset that the scan leaves out. They are warnings, because either may be right;
/// nothing if the files state nothing or cannot be read.
/// Tests: tests/core/scan/guess_metaimage_test.cpp
[[nodiscard]] std::vector<Problem> contradictedByImages(const ScanFile& scan);

}  // namespace gantry
