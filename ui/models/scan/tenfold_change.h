#pragma once

#include <QString>

#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A sentence on what one edit has changed more than tenfold, which a slip of the unit or of a
/// separator does: magnification, detector pitch, or field of view. Empty: nothing. Geometries with
/// errors are taken, too; what they do not say is not compared.
/// Tests: tests/ui/models/tenfold_change_test.cpp
[[nodiscard]] QString tenfoldChange(const ScanGeometry& before, const ScanGeometry& after);

}  // namespace gantry
