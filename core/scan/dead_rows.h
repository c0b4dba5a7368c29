#pragma once

#include <string>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// A sentence for each group of detector rows without a usable pixel that the volume needs: which
/// slices are interpolated for that, and which have no measured values.
/// scan: as stored, before corrected(). Tests: tests/core/scan/dead_rows_test.cpp
[[nodiscard]] std::vector<std::string> deadRowsNotes(const OpenScan& scan, const VolumeGrid& grid);

/// The same for each group of detector columns: where in every slice details are lost.
/// scan: as stored. Tests: tests/core/scan/dead_rows_test.cpp
[[nodiscard]] std::vector<std::string> deadColumnsNotes(const OpenScan& scan);

}  // namespace gantry
