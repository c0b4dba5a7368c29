#pragma once

#include <optional>

#include "core/geometry/check/validate.h"
#include "core/geometry/scan_geometry.h"
#include "core/scan/inspect/sinogram.h"

namespace gantry {

/// A warning where all views are alike but for noise, although what they show is not symmetrical
/// about any column: nothing turned. A round object that turns about its middle looks so, too, but
/// is symmetrical.
/// Tests: tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkStandstill(const ScanGeometry& geometry,
                                                     const Sinogram& sinogram);

/// A warning where from one view to the next much more changes than between the views around them,
/// once to four times, or nothing for several views: the object slipped, or the stage stood still.
/// Of scans whose views were taken in the order of their angles, and of which all were read.
/// Tests: tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkJumps(const ScanGeometry& geometry,
                                                const Sinogram& sinogram);

}  // namespace gantry
