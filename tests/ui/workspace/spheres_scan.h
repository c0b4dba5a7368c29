#pragma once

#include "core/simulate/simulate_scan.h"

namespace gantry::test {

/// A scan of spheres in 72 views of 65 × 57 pixels, whose directions its views show.
inline SimulationSpec spheresScan() {
    SimulationSpec spec;
    spec.name = "spheres";
    spec.phantom.phantom = "spheres";
    spec.phantom.placement.scaleMm = 60;
    spec.geometry.cone().sourceToIsocenterMm = 600;
    spec.geometry.cone().sourceToDetectorMm = 1200;
    spec.geometry.cone().views = 72;
    spec.geometry.detector.columns = 65;
    spec.geometry.detector.rows = 57;
    spec.geometry.detector.pitchMm = {4.2, 4.2};
    return spec;
}

}  // namespace gantry::test
