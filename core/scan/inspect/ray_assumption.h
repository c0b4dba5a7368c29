#pragma once

#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/scan/inspect/sinogram.h"

namespace gantry {

/// What a scan states of its rays. geometry: one that hasConjugateRays()
[[nodiscard]] RayAssumption asStated(const ScanGeometry& geometry);

/// Whether angles only grow, or only fall.
[[nodiscard]] bool isInOrder(const std::vector<double>& anglesDeg);

/// With 256 columns or fewer, in which many assumptions are tried in little time.
[[nodiscard]] Sinogram forSearches(const Sinogram& sinogram);

}  // namespace gantry
