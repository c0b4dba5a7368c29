#pragma once

#include <optional>

#include "core/geometry/check/validate.h"
#include "core/geometry/scan_geometry.h"
#include "core/scan/inspect/sinogram.h"

namespace gantry {

/// A warning where the views change by much less from one to the next if they are taken for the
/// numbers 0, 1, 2 … or 1, 2, 3 … that were sorted as text: 1, 10, 11, 2. It judges scans whose
/// views were taken in the order of their angles, and of which all were read. Tests:
/// tests/core/scan/text_order_check_test.cpp
[[nodiscard]] std::optional<Problem> checkTextOrder(const ScanGeometry& geometry,
                                                    const Sinogram& sinogram);

}  // namespace gantry
