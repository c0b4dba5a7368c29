#pragma once

#include <QSizeF>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/orbit_camera.h"

namespace gantry {

/// `camera`, turned as it is, at a distance from which a view of that size shows the scanner whole
/// at every angle of its gantry. Distances go in steps, so that a change of the scan is seen as
/// one, and depend on nothing but the scan and the size, so that what is undone looks as before.
/// The geometry and the grid are those that are drawn.
/// Tests: tests/ui/scene/schematic_view_test.cpp
[[nodiscard]] OrbitCamera fitted(OrbitCamera camera, const ScanGeometry& geometry,
                                 const VolumeGrid& grid, QSizeF view);

/// The eye in the source, the picture as wide as the detector and a margin.
[[nodiscard]] OrbitCamera cameraInSource(const ScanGeometry& geometry, Index view);

}  // namespace gantry
