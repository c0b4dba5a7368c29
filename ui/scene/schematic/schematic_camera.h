#pragma once

#include <QRectF>
#include <QSizeF>
#include <optional>
#include <span>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/orbit_camera.h"
#include "ui/scene/schematic/schematic_shape.h"
#include "ui/scene/schematic/view_parts.h"

namespace gantry {

/// Where the drawn parts lie in a view.
[[nodiscard]] ViewParts drawnParts(const SchematicShape& shape, const OrbitCamera& camera,
                                   QSizeF view);

/// Everything that a turn of the gantry covers, with the signs beside its parts; none if the view
/// does not show all of it. The geometry and the grid are those that are drawn.
[[nodiscard]] std::optional<ViewParts> drawnReach(const ScanGeometry& geometry,
                                                  const VolumeGrid& grid, const OrbitCamera& camera,
                                                  QSizeF view);

/// `camera`, in its direction, at a distance from which a view of that size shows the whole scanner
/// at every angle of its gantry, with one of the rooms, areas of the view, left free for words if
/// that does not make the scanner much smaller. Distances change in steps, so that a change of the
/// scan remains visible, and depend only on the scan, the size and the rooms, so that after an undo
/// the view is as before. The geometry and the grid are those that are drawn. Tests:
/// tests/ui/scene/schematic_view_test.cpp, tests/ui/scene/schematic_words_test.cpp
[[nodiscard]] OrbitCamera fitted(OrbitCamera camera, const ScanGeometry& geometry,
                                 const VolumeGrid& grid, QSizeF view,
                                 std::span<const QRectF> rooms);

/// A camera in the source, whose picture is as wide as the detector and a margin.
[[nodiscard]] OrbitCamera cameraInSource(const ScanGeometry& geometry, Index view);

}  // namespace gantry
