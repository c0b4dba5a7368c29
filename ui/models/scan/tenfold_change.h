#pragma once

#include <QString>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A sentence about values that one edit has changed more than tenfold, as a wrong unit or
/// separator does: magnification, detector pitch, or field of view. Empty: none. Geometries with
/// errors are accepted; values that they do not determine are not compared. Tests:
/// tests/ui/models/tenfold_change_test.cpp
[[nodiscard]] QString tenfoldChange(const ScanGeometry& before, const ScanGeometry& after);

}  // namespace gantry
