#pragma once

#include <QPointF>
#include <QSizeF>
#include <optional>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "ui/scene/orbit_camera.h"

namespace gantry {

/// What can be dragged in the schematic: a face of the volume's box, or the detector.
struct SchematicHandle {
    enum class Kind { face, detector };
    Kind kind = Kind::face;
    int axis = 0;  ///< for a face: 0 to 2
    int side = 1;  ///< for a face: −1 the lower, +1 the upper
    Vec3 positionMm;
    bool isAlongU = true;  ///< for the detector: it moves along u, unless u is seen end-on
    bool isAlongV = true;  ///< the same for v

    [[nodiscard]] bool isSame(const SchematicHandle& other) const {
        return kind == other.kind && axis == other.axis && side == other.side;
    }
};

/// The handles that can be dragged from the camera's viewpoint: faces that are not seen head-on,
/// and the detector's: along u and v, or, if it is seen edge-on, along the one that is seen better.
/// The geometry and the grid are those that are drawn. Tests:
/// tests/ui/scene/schematic_drag_test.cpp
[[nodiscard]] std::vector<SchematicHandle> schematicHandles(const ScanGeometry& geometry,
                                                            const VolumeGrid& grid, Index view,
                                                            const OrbitCamera& camera);

/// Removes faces whose handles would be too near to the opposite face's to be distinguished; after
/// zooming in they can be.
[[nodiscard]] std::vector<SchematicHandle> handlesApart(const std::vector<SchematicHandle>& handles,
                                                        const OrbitCamera& camera, QSizeF view);

/// The grid with a face moved along its axis by a drag from one camera ray to another. The opposite
/// face and the pitch stay; whole voxels, at least one.
[[nodiscard]] VolumeGrid withFaceDragged(const VolumeGrid& grid, const SchematicHandle& face,
                                         const ViewRay& from, const ViewRay& to);

/// How far the same drag moves the detector along the gantry's u and v, mm; none if a ray misses
/// its plane.
[[nodiscard]] std::optional<QPointF> detectorShift(const ScanGeometry& geometry, Index view,
                                                   const SchematicHandle& handle,
                                                   const ViewRay& from, const ViewRay& to);

}  // namespace gantry
