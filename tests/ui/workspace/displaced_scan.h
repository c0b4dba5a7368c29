#pragma once

#include "tests/ui/workspace/small_scan.h"

namespace gantry::test {

/// A head in 48 views of 96² pixels, 410 mm wide, whose rotation axis is seen 12 mm farther along u
/// than its geometry says.
inline SimulationSpec displacedScan() {
    constexpr double kWidthMm = 410;
    SimulationSpec spec;
    spec.name = "displaced";
    spec.phantom.placement.scaleMm = 75;
    spec.geometry.cone().sourceToIsocenterMm = 600;
    spec.geometry.cone().sourceToDetectorMm = 1200;
    spec.geometry.cone().views = 48;
    spec.geometry.detector.columns = spec.geometry.detector.rows = 96;
    spec.geometry.detector.pitchMm = {kWidthMm / 96, kWidthMm / 96};
    spec.kind = ProjectionKind::attenuation;
    spec.axisErrorMm = 6;
    return spec;
}
inline constexpr double kDisplacedMm = 12;               ///< on the detector
inline constexpr double kDisplacedPx = 12 * 96 / 410.0;  ///< the same in its pixels

}  // namespace gantry::test
